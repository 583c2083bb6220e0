// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether the monitor (relief.cpp) looks or sleeps:
//
//   none  ->  awake            `wake`, by the first who needs it and who starts it
//   awake ->  asleep           `fall_asleep`, by the monitor; it looks once more, and then sleeps or turns back
//   asleep -> awake            `wake`, by who makes work visible; or `turn_back`
//   none, awake, asleep -> ended   closing.cpp
//
// Whoever makes visible what some carrier may never come to passes a full fence, then asks `looks`. The monitor's full fence
// lies between its word and its last look. So either the one sees that it must be woken, or the other sees the work.
//
// Relaxed steps are ordered by these fences, or order nothing: what a monitor begins with comes to it as its thread starts.
#pragma once

#include <cstdint>

#include "base/base.hpp"

namespace gossamer::fiber {

template <class A = StdAtomics>
class BasicWatch {
    using Order = std::memory_order;

public:
    using Word = typename A::template Atomic<std::uint32_t>;  // a futex

    static constexpr std::uint32_t none = 0, asleep = 1, awake = 2, ended = 3;

    constexpr BasicWatch() = default;
    BasicWatch(const BasicWatch&) = delete;
    BasicWatch& operator=(const BasicWatch&) = delete;

    /// Anyone, behind a full fence.
    bool looks() const { return word_.load(Order::relaxed) == awake; }

    /// Anyone. What it was before: `asleep`, and one caller is to wake its native thread; `none`, and one is to start it.
    std::uint32_t wake() {
        std::uint32_t state = asleep;
        // release pairs with sleeps
        if (word_.compare_exchange_strong(state, awake, Order::release, Order::relaxed)) return asleep;
        if (state != none) return state;
        return word_.compare_exchange_strong(state, awake, Order::relaxed, Order::relaxed) ? none : state;
    }

    /// The monitor, which looks once more after this. False: it has ended.
    bool fall_asleep() {
        std::uint32_t state = awake;
        const bool done = word_.compare_exchange_strong(state, asleep, Order::relaxed, Order::relaxed);
        A::fence(Order::seq_cst);  // pairs with those before `looks`
        return done;
    }

    /// The monitor, which has seen something. False: somebody has woken it meanwhile, or ended it.
    bool turn_back() {
        std::uint32_t state = asleep;
        return word_.compare_exchange_strong(state, awake, Order::relaxed, Order::relaxed);
    }

    /// The monitor, at its word. acquire pairs with wake, and with end.
    bool sleeps() const { return word_.load(Order::acquire) == asleep; }

    bool has_ended() const { return word_.load(Order::relaxed) == ended; }
    /// True: there was none, and there will be none.
    bool end_before_start() {
        std::uint32_t state = none;
        return word_.compare_exchange_strong(state, ended, Order::relaxed, Order::relaxed);
    }
    void end() { word_.store(ended, Order::release); }
    void forget() { word_.store(none, Order::relaxed); }

    Word& word() { return word_; }

private:
    Word word_{none};
};

using Watch = BasicWatch<>;

}  // namespace gossamer::fiber
