// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Running apart: a relieved fiber or number, or one that started so, runs on a native thread of its own until it next waits, or
// yields while the stuck carrier moves again (docs/protocols/relief.md).
#pragma once

#include "fiber/scheduler.hpp"

namespace gossamer::fiber {

// A native thread for one item, and the relief carrier that goes with it.
struct Apart {
    Fiber* lender = nullptr;  // null: only a full fiber can run, on its own native thread
    Carrier* carrier = nullptr;

    // False: the system or the table has none left. Otherwise `run` or `give_up` must follow.
    bool prepare();
    void run(Item item, const Behind& behind, Habit* habit);
    void give_up();
};

constexpr std::uint64_t spun_ns = 1'000'000;  // CPU time without a scheduling point that makes a carrier stuck

// Whether the stuck carrier has come to no scheduling point since. If it has, what it ran is over, or waits.
inline bool is_stuck(const Behind& behind) {
    const Carrier& carrier = *behind.stuck;
    return carrier.progress.load(std::memory_order_relaxed) == behind.progress &&
           !carrier.looking.load(std::memory_order_relaxed);
}

// How often a fiber or number that ran apart has come to wait, or to its end, ever.
std::uint32_t came_back();

}  // namespace gossamer::fiber
