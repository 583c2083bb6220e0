// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether the monitor (relief.cpp) looks or sleeps:
//
//   none   -> awake            `wake`, by the first thread that needs the monitor; that thread starts it
//   awake  -> none             `has_not_begun`, by that thread, if the system refuses the monitor: the next one tries again
//   awake  -> asleep           `fall_asleep`, by the monitor; it looks once more, and then sleeps or turns back
//   asleep -> dozing           `rouse`, by a thread that wants a look, but none soon, or by the monitor, for those that will:
//                              the monitor looks now and then
//   dozing -> asleep           `stop_dozing`, by the monitor, if no more looks are wanted; it looks once more
//   asleep, dozing -> awake    `wake`, by a thread that makes work visible; or `turn_back`, by the monitor
//   none, awake, asleep, dozing -> ended   closing.cpp
//
// A publisher that makes work visible which some carrier may never come to passes a full fence, then asks `looks`; a thread
// that wants a look passes one, then asks `will_look`. The monitor passes a full fence between its word and its last look
// before it sleeps. So either they see that they must wake the monitor, or the monitor sees the work.
//
// Relaxed steps are ordered by these fences, or order nothing: thread creation hands the monitor what it begins with.
#pragma once

#include <cstdint>

#include "base/base.hpp"

namespace gossamer::fiber {

template <class A = StdAtomics>
class BasicWatch {
    using Order = std::memory_order;

public:
    using Word = typename A::template Atomic<std::uint32_t>;  // a futex

    static constexpr std::uint32_t none = 0, asleep = 1, dozing = 2, awake = 3, ended = 4;

    constexpr BasicWatch() = default;
    BasicWatch(const BasicWatch&) = delete;
    BasicWatch& operator=(const BasicWatch&) = delete;

    /// Any thread, behind a full fence.
    bool looks() const { return word_.load(Order::relaxed) == awake; }
    bool will_look() const {
        const std::uint32_t state = word_.load(Order::relaxed);
        return state == awake || state == dozing;
    }

    /// Any thread. Returns the state before: `asleep`: this caller must wake the native thread; `none`: it must start the
    /// thread.
    std::uint32_t wake() {
        std::uint32_t state = word_.load(Order::relaxed);
        while (state == asleep || state == dozing) {
            // release pairs with sleeps.
            if (word_.compare_exchange_weak(state, awake, Order::release, Order::relaxed)) return asleep;
        }
        if (state != none) return state;
        return word_.compare_exchange_strong(state, awake, Order::relaxed, Order::relaxed) ? none : state;
    }

    /// The thread that had to start the monitor, and could not.
    void has_not_begun() { word_.store(none, Order::relaxed); }

    /// Any thread. The same for one that has found that the monitor will not look.
    std::uint32_t rouse() {
        std::uint32_t state = asleep;
        if (word_.compare_exchange_strong(state, dozing, Order::release, Order::relaxed)) return asleep;
        return state == none ? wake() : state;
    }

    /// The monitor, which looks once more afterwards. False: it has been ended.
    bool fall_asleep() { return leave(awake); }
    /// The same. False: another thread has woken or ended it meanwhile.
    bool stop_dozing() { return leave(dozing); }

    /// The monitor, whose last look found something. False: another thread has woken or ended it meanwhile.
    bool turn_back() {
        std::uint32_t state = asleep;
        if (word_.compare_exchange_strong(state, awake, Order::relaxed, Order::relaxed)) return true;
        return state == dozing && word_.compare_exchange_strong(state, awake, Order::relaxed, Order::relaxed);
    }

    /// The monitor, asleep on its word. acquire pairs with wake, rouse and end.
    bool sleeps() const { return word_.load(Order::acquire) == asleep; }
    bool dozes() const { return word_.load(Order::relaxed) == dozing; }
    /// Whether it does either, by one look at the word, which others change from the one to the other.
    bool rests() const {
        const std::uint32_t state = word_.load(Order::relaxed);
        return state == asleep || state == dozing;
    }

    bool has_ended() const { return word_.load(Order::relaxed) == ended; }
    /// True: there was no monitor, and there will be none.
    bool end_before_start() {
        std::uint32_t state = none;
        return word_.compare_exchange_strong(state, ended, Order::relaxed, Order::relaxed);
    }
    void end() { word_.store(ended, Order::release); }
    void forget() { word_.store(none, Order::relaxed); }

    Word& word() { return word_; }

private:
    bool leave(std::uint32_t state) {
        const bool done = word_.compare_exchange_strong(state, asleep, Order::relaxed, Order::relaxed);
        A::fence(Order::seq_cst);  // pairs with the fences before `looks` and `will_look`
        return done;
    }

    Word word_{none};
};

using Watch = BasicWatch<>;

}  // namespace gossamer::fiber
