// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How several roots share the carriers (roots.cpp).
#pragma once

#include "fiber/scheduler.hpp"

namespace gossamer::fiber {

// Whether there are several roots: without that, nothing of what follows can hold.
inline bool several_roots() { return g.roots.load(std::memory_order_relaxed) > 1; }
// Whether the carrier is a root's that runs no other root's work.
inline bool keeps_to_its_own(const Carrier& carrier) {
    return GOSSAMER_UNLIKELY(several_roots()) && carrier.root.load(std::memory_order_relaxed) != nullptr;
}
// Whether work with that record is of that carrier's root. Of a range that may be out of its queue by now: a hint.
inline bool is_own(const Carrier& carrier, const ReliefRecord* record) {
    return record != nullptr && record->root() == carrier.root.load(std::memory_order_relaxed);
}
// Where a fiber goes that does not go back to the carrier on which it last ran: no root's carrier if there are several.
inline Carrier& another_carrier_for(const Fiber& fiber) {
    const std::uint32_t workers = g.workers.load(std::memory_order_relaxed);
    const std::uint32_t first = several_roots() && workers > 1 ? 1 : 0;
    return carrier_at(first + fiber.id % (workers - first));
}
// Leaves a fiber of another root, or a range in no queue, to a worker, or has it run apart. False: it cannot.
bool give_away(Item item);
// Gives the fibers of other roots in that carrier's list, which came from its inbox, to workers, or has them run apart. Returns
// the rest, newest first.
Link* pass_on_strangers(const Carrier& carrier, Link* newest_first);

// Whether as many native threads as there may be carriers, and `more`, are awake. `crowded`: work that becomes visible wakes
// none.
bool too_many_awake(std::uint32_t more);
inline bool crowded() { return GOSSAMER_UNLIKELY(several_roots()) && too_many_awake(0); }
// One more than that are awake, and `carrier` makes way: it takes no more work, and parks.
inline bool makes_way(const Carrier& carrier) {
    return GOSSAMER_UNLIKELY(several_roots()) && is_worker(carrier.index) && carrier.lights.in_call == 0 &&
           carrier.lights.ready == nullptr && carrier.pinned.empty_hint() && too_many_awake(1);
}

// The home of a worker that makes way: leaves itself where other carriers may run it, and parks its native thread on a fiber
// of the loop. Returns when some carrier runs it. False, without effect: the home must stay with its native thread.
bool leave_home(Fiber& home);
// A wanted home that was left so, for a carrier that has no other work; nothing: there is none.
Item take_left_home(const Carrier& thief);
bool some_home_is_left(const Carrier& thief);
// Whether the home of `own` was left so, and its native thread need not be woken.
bool left_to_others(const Carrier& own);

// Such a carrier has announced that it will sleep. A publisher may have counted on it, which searched, or has woken it: wakes a
// worker if something is queued anywhere and there is room.
void leave_room(const Carrier& carrier);

// A root leaves its region, and wakes no worker.
void stop_taking_part(Carrier& carrier);
// A root ends.
void end_taking_part(Carrier& carrier);
// The monitor, at each look: takes off the count the roots that linger between their regions, but sleep.
void let_go_of_sleepers();
// The monitor, which finds work queued on `carrier`: wakes a worker that made way for a root, if there is room by now.
void use_room(Carrier& carrier);

}  // namespace gossamer::fiber
