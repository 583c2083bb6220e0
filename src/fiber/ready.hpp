// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where a fiber goes that has become ready, and which carrier hears of it (ready.cpp).
#pragma once

#include "fiber/scheduler.hpp"

namespace gossamer::fiber {

// Puts a ready fiber where it last ran, and wakes a carrier for it if need be.
void make_ready(Fiber& fiber);
// After work became visible in the queues of `carrier`; published_here, where the caller runs on that carrier.
void published(Carrier& carrier);
void published_here(Carrier& carrier);
// Wakes a carrier that the caller has claimed.
void unpark(Carrier& carrier);
// What end_search or publish has claimed: a carrier, which is woken, or none.
inline void unpark_claimed(int carrier) {
    if (GOSSAMER_UNLIKELY(carrier != EventCount::nobody)) unpark(carrier_at(static_cast<std::uint32_t>(carrier)));
}
// Wakes `carrier` if it sleeps. False: it does not. A full fence inside orders the caller's earlier stores.
inline bool wake_if_asleep(Carrier& carrier) {
    if (!g.idle.claim(carrier.index)) return false;
    unpark(carrier);
    return true;
}
// After the home of `own` was given an order or its permit: tells a thread that may run the home.
void call_home(Carrier& own);

}  // namespace gossamer::fiber
