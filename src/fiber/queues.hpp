// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a carrier does next: its own queues, then other carriers' (queues.cpp).
#pragma once

#include "fiber/roots.hpp"

namespace gossamer::fiber {

// Puts a range with numbers left into the deque of the caller's carrier, and announces it.
void push_range(Carrier& carrier, Range& range);

// For mode_no_calls: one number of the range `item`, whose others stay visible; nothing if the range is exhausted.
Item split_one(Carrier& carrier, Item item);

// The next thing to do here, best first: the home if it is ready, pinned fibers, own deque, inbox, zone. With `fair`, and
// once a millisecond without, the item that has waited longest instead, so that fibers that yield to or wake each other starve
// no other.
Item next_local(Carrier& carrier, bool fair = false);

// The two halves of that: the decision is counted, and is the carrier's `progress` from now on.
Item next_behind(Carrier& carrier, std::uint32_t progress, bool fair);

// The clock is read at every so manieth decision; prime, so that it does not beat with a program's own period.
constexpr std::uint32_t decisions_a_clock = 61;

// newest_of_deque of a root's carrier that keeps to its own.
Item newest_of_own(Carrier& carrier);

GOSSAMER_INLINE Item newest_of_deque(Carrier& carrier) {
    if (keeps_to_its_own(carrier)) return newest_of_own(carrier);
    while (Item item = carrier.deque.peek()) {
        const Range* const range = item.range();
        // A range stays where it is, and visible, until its last number is taken.
        if (range != nullptr && !range->span.empty()) return item.staying();
        item = carrier.deque.pop_seen(item);
        if (item && !item.is_exhausted()) return item;
    }
    return Item();
}

// next_local for the loop of a fiber: calls nothing if the newest of the deque comes next, as it mostly does
// (docs/decisions/0034-as-deep-in-calls.md).
GOSSAMER_INLINE Item next_here(Carrier& carrier) {
    const std::uint32_t progress = note_progress(carrier);
    const bool home_first = carrier.running != carrier.home && carrier.home_wants();
    const bool pinned_first = carrier.lights.ready != nullptr || !carrier.pinned.empty_hint();
    if (GOSSAMER_LIKELY(!home_first && !carrier.relief && progress % decisions_a_clock != 0 && !pinned_first)) {
        if (const Item item = newest_of_deque(carrier)) return item;
    }
    return next_behind(carrier, progress, false);
}

// One look at every other carrier: the oldest work that is found. Never blocks.
Item steal(Carrier& thief);
// The look of a carrier that has run out of work: takes something if that seems to be worth its way (thief.hpp). Never blocks.
Item look_around(Carrier& thief);
// Whether the queues of `victim` seem to hold work that `thief` may take. Whose a fiber is cannot be seen.
bool holds_work_for(const Carrier& thief, const Carrier& victim);
// The same for a root's carrier that keeps to its own, of a range only: true if it was so at the look.
bool holds_own_range(const Carrier& thief, const Carrier& victim);
// Whether other carriers seem to have work, for a fiber that spins; by few looks unless the carrier's thief is keen.
bool sees_work(Carrier& thief);

// For the monitor: takes one ready fiber of `victim` or, if `ranges`, a range, of one number if it can be.
Item take_one(Carrier& victim, bool ranges);

}  // namespace gossamer::fiber
