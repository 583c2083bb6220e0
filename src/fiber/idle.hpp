// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a carrier does that has no work left (idle.cpp, docs/protocols/idle.md).
#pragma once

#include "fiber/roots.hpp"
#include "fiber/scheduler.hpp"

namespace gossamer::fiber {

// A waiter that has looked so often, some five microseconds, probably waits for a thread that is preempted: it lets that thread
// have this processor. To spin on would also spend the time by which the kernel decides which thread runs next.
constexpr std::uint32_t looks_a_yield = 256;

// Lets the upper layer do what it has put off.
inline void look_for_others(Looker who) {
    if (g.config.look != nullptr) g.config.look(who);
}

// How long the home of `carrier` looks for work before it parks, in arch::cycles.
inline std::uint64_t patience_of(Carrier& carrier) {
    const std::uint64_t most = g.patience.load(std::memory_order_relaxed);
    return g.adaptive.load(std::memory_order_relaxed) ? carrier.patience.get(most) : most;
}

// Whether ready work needs the carrier under `me`.
GOSSAMER_INLINE bool is_wanted(const Fiber& me, const Carrier& carrier) {
    return !carrier.nothing_queued() || (carrier.home != &me && carrier.home_wants());
}

// What a carrier does next when its own work has run out, or its fiber waits: its own, or what `others` finds elsewhere.
// Nothing: there is none, or it is better left to its owner.
Item find_work(Carrier& carrier, Item (*others)(Carrier& carrier));
// Whether `steal` would find something; relaxed.
bool anything_to_steal(const Carrier& thief);

// Searches, and parks, until there is work: true, with it in `item`; or until the home that calls is notified: false.
bool search_and_park(Carrier& carrier, Item& item);

// Runs the loop on a home's own stack until the home is wanted; parks when it finds no work.
void home_wait(Fiber& home);

// `suspend` by a native thread whose permit is not there yet.
void wait_native(Fiber& me);

}  // namespace gossamer::fiber
