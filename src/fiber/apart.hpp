// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What runs apart: a relieved fiber or number, or one that started so, on a native thread of its own until it next waits, or
// yields while the others move (docs/protocols/relief.md).
#pragma once

#include "fiber/scheduler.hpp"

namespace gossamer::fiber {

// A native thread for one thing, and the carrier that it gets for this.
struct Apart {
    Fiber* lender = nullptr;  // null: only a full fiber can be run, by its own native thread
    Carrier* carrier = nullptr;

    // False: there is none to be had. Otherwise `run` or `give_up` follows.
    bool prepare();
    void run(Item item, const Behind& behind, Habit* habit);
    void give_up();
};

constexpr std::uint64_t spun_ns = 1'000'000;  // CPU time without a scheduling point that makes a carrier stuck

// Whether the carrier behind which something was has come to no scheduling point since: else what it ran is over, or waits.
inline bool is_stuck(const Behind& behind) {
    const Carrier& carrier = *behind.stuck;
    return carrier.progress.load(std::memory_order_relaxed) == behind.progress &&
           !carrier.looking.load(std::memory_order_relaxed);
}

// How often something that ran apart has come to wait, or to its end, ever.
std::uint32_t came_back();

}  // namespace gossamer::fiber
