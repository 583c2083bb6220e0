// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Running apart: a relieved fiber or number, or one that started so, runs on a native thread of its own until it next waits, or
// yields while the stuck carrier moves again (docs/protocols/relief.md).
#pragma once

#include "fiber/scheduler.hpp"

namespace gossamer::fiber {

// A native thread for one item, and the relief carrier that goes with it. It gives both back if it runs nothing.
class Apart {
public:
    Apart() = default;
    ~Apart();
    Apart(const Apart&) = delete;
    Apart& operator=(const Apart&) = delete;

    // False: the table or the memory has no carrier left.
    bool prepare_for_any();
    bool prepare_for_full_fiber();
    // Whether it can run ranges and homes, too, for which another fiber's pthread lends its identity. False: the system
    // grants none.
    bool has_lender() const { return lender_ != nullptr; }
    // Once: runs `item`, which lies in no queue, on that native thread.
    void run(Item item, const Behind& behind, Habit* habit);

private:
    Fiber* lender_ = nullptr;
    Carrier* carrier_ = nullptr;
};

// Has a native thread of its own run `item`, which lies in no queue. False: the system grants none, and the caller keeps the
// item. `behind`: where it was stuck; `habit`: what may learn from it, or null.
bool run_apart(Item item, const Behind& behind = {}, Habit* habit = nullptr);
// A fiber that runs apart, before it waits: runs apart, too, what it leaves in its carrier's queue, while the carrier that it
// was stuck behind is still stuck, and no other carrier is free.
void hand_on(Carrier& carrier);
// For a ready fiber that lies in no queue and last ran apart: runs it apart again for the same reason. False: it does not.
bool stays_apart(Fiber& fiber);
// For a ready fiber that lies in no queue: runs it apart if its work has the habit. False: it does not.
bool go_on_apart(Fiber& fiber);
// A fiber that runs apart, at a scheduling point. True: it came back to the carriers, and something else has run meanwhile.
bool yield_apart(Fiber& me);

// On the native thread of a full fiber: runs the item that it was ordered to run until that waits or ends.
void serve_relief(Fiber& fiber);

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
