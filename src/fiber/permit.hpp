// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

#include "base/base.hpp"

// The one-shot permit to go on, of a fiber that waits: it decides who makes the fiber ready again.
//
// A fiber that suspends is not resumable until its context lies on its stack, and the notifier may come
// before that. Both sides meet on one word, and exactly one of them, the later one, makes the fiber ready:
//
//   suspending side (after the switch)     notifier
//   park: running -> parked                .                        first
//   .                                      notify: parked -> notified, true: it enqueues the fiber
//   or
//   .                                      notify: running -> notified, false: it never touches the fiber
//   again park: finds notified, false: the carrier that switched away enqueues it (or switches back)
//
// There is exactly one notify for each wait, and the wait is announced to the notifier after the reset that
// begins it.

namespace gossamer::fiber {

template <class A = StdAtomics>
class BasicPermit {
public:
    constexpr BasicPermit() = default;
    BasicPermit(const BasicPermit&) = delete;
    BasicPermit& operator=(const BasicPermit&) = delete;

    /// The fiber itself, before it lets the notifier know of it. Whatever makes it known (a lock, a release)
    /// orders this.
    void reset() { state_.store(State::running, std::memory_order_relaxed); }

    /// Whoever runs on the carrier right after the fiber's context has been saved; once for a wait. True: the
    /// fiber is parked, and may already run elsewhere: touch nothing of it. False: it was notified before, so
    /// the caller makes it ready, and sees all that the notifier did before.
    bool park() {
        State seen = State::running;
        // release pairs with notify: whoever enqueues the fiber has its saved context. acquire pairs with
        // notify, too.
        return state_.compare_exchange_strong(seen, State::parked, std::memory_order_release, std::memory_order_acquire);
    }

    /// The notifier, once for a wait. True: the fiber was parked, and the caller, it alone, makes it ready.
    /// False: the suspending side does; the fiber may be gone by the time this returns, so the caller never
    /// touches it again.
    bool notify() {
        // From `parked` nobody else moves it: acquire pairs with park. relaxed: the fiber learns of it by the queue it goes to.
        if (state_.load(std::memory_order_acquire) == State::parked) {
            state_.store(State::notified, std::memory_order_relaxed);
            return true;
        }
        // release pairs with notified and park, acquire with park.
        return state_.exchange(State::notified, std::memory_order_acq_rel) == State::parked;
    }

    /// The fiber itself, while it has not suspended: true as soon as it need not. acquire pairs with notify.
    bool notified() const { return state_.load(std::memory_order_acquire) == State::notified; }

private:
    //  state     | means                                      | entered by     | left by
    //  ----------+--------------------------------------------+----------------+------------------------
    //  running   | on a carrier, or not fully saved yet       | reset          | park, notify
    //  parked    | saved; nobody but the notifier may touch   | park           | notify
    //  notified  | the permit is there; the wait is over      | notify         | reset, of the next wait
    enum class State : std::uint32_t { running, parked, notified };

    typename A::template Atomic<State> state_{State::running};
};

using Permit = BasicPermit<>;

}  // namespace gossamer::fiber
