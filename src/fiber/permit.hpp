// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A waiting fiber's one-shot permit to go on. It decides which thread makes the fiber ready again.
//
// A fiber that suspends cannot be resumed until its context lies on its stack, and the notifier may come before that. The
// suspending carrier and the notifier meet on one word, and the later of the two makes the fiber ready:
//
//   suspending carrier (after the switch)  notifier
//   park: running -> parked                .                        first
//   .                                      notify: parked -> notified, true: it enqueues the fiber
//   or
//   .                                      notify: running -> notified, false: it never touches the fiber
//   again park: finds notified, false: the carrier that switched away enqueues it (or switches back)
//
// There is exactly one notify for each wait. The fiber announces the wait to the notifier after the reset that begins it.
#pragma once

#include <cstdint>

#include "base/base.hpp"

namespace gossamer::fiber {

template <class A = StdAtomics>
class BasicPermit {
public:
    constexpr BasicPermit() = default;
    BasicPermit(const BasicPermit&) = delete;
    BasicPermit& operator=(const BasicPermit&) = delete;

    /// The fiber itself, before the notifier can know of the wait. The step that makes it known (a lock, a release) orders
    /// this store.
    void reset() { state_.store(State::running, std::memory_order_relaxed); }

    /// The next fiber on the same carrier, right after this fiber's context has been saved; once for each wait. True: the
    /// fiber is parked and may already run elsewhere, so the caller touches nothing of it. False: it was notified before; the
    /// caller makes it ready, and sees all that the notifier did before.
    bool park() {
        State seen = State::running;
        // release pairs with notify: the notifier that enqueues the fiber has its saved context. acquire pairs with notify.
        return state_.compare_exchange_strong(seen, State::parked, std::memory_order_release, std::memory_order_acquire);
    }

    /// The notifier, once for each wait. True: the fiber was parked, and the caller, it alone, makes it ready. False: the
    /// suspending carrier does; the fiber may be gone when this returns, so the caller never touches it again.
    bool notify() {
        // Only the notifier moves the state on from `parked`. acquire pairs with park; relaxed: the queue publishes the store.
        if (state_.load(std::memory_order_acquire) == State::parked) {
            state_.store(State::notified, std::memory_order_relaxed);
            return true;
        }
        // release pairs with notified and park, acquire with park.
        return state_.exchange(State::notified, std::memory_order_acq_rel) == State::parked;
    }

    /// The fiber itself, before it suspends: true as soon as it need not suspend. acquire pairs with notify.
    bool notified() const { return state_.load(std::memory_order_acquire) == State::notified; }

    /// Any thread; a snapshot. acquire pairs with park.
    bool is_parked() const { return state_.load(std::memory_order_acquire) == State::parked; }

private:
    //  state     | means                                      | entered by     | left by
    //  ----------+--------------------------------------------+----------------+------------------------
    //  running   | on a carrier, or not fully saved yet       | reset          | park, notify
    //  parked    | saved; only the notifier may touch it      | park           | notify
    //  notified  | the permit is there; the wait is over      | notify         | reset, of the next wait
    enum class State : std::uint32_t { running, parked, notified };

    typename A::template Atomic<State> state_{State::running};
};

using Permit = BasicPermit<>;

}  // namespace gossamer::fiber
