// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a carrier does next: its own queues, then other carriers' (queues.cpp).
#pragma once

#include "fiber/scheduler.hpp"

namespace gossamer::fiber {

// Puts a range with numbers left into the deque of the caller's carrier, and announces it.
void push_range(Carrier& carrier, Range& range);

// For mode_no_calls: one number of the range `item`, whose others stay visible; nothing if the range is exhausted.
Item split_one(Carrier& carrier, Item item);

// The next thing to do here, best first: the home if it is ready, pinned fibers, own deque, inbox, zone. With `fair`, and
// once a millisecond without, the item that has waited longest instead, so that fibers that yield to or wake each other starve no
// other.
Item next_local(Carrier& carrier, bool fair = false);
// One look at every other carrier: the oldest work that is found. Never blocks.
Item steal(Carrier& thief);
// The look of a carrier that has run out of work: takes something if that seems to be worth its way (thief.hpp). Never blocks.
Item look_around(Carrier& thief);
// Whether other carriers seem to have work, for a fiber that spins; by few looks unless the carrier's thief is keen.
bool sees_work(Carrier& thief);

// For the monitor: takes one ready fiber of `victim` or, if `ranges`, a range, of one number if it can be.
Item take_one(Carrier& victim, bool ranges);

}  // namespace gossamer::fiber
