// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What can be asked of all carriers together.

#include "fiber/counters.hpp"

#include "fiber/scheduler.hpp"

namespace gossamer::fiber {

Counters counters() {
    Counters sum;
    for (const Carrier& carrier : all_carriers()) {
        const Counters& one = carrier.counters;
        sum.switches += one.switches;
        sum.calls += one.calls;
        sum.steals += one.steals;
        sum.parks += one.parks;
        sum.partings += one.partings;
        sum.relieved += one.relieved;
    }
    sum.fibers = g.fibers_made.load(std::memory_order_relaxed);
    return sum;
}

bool anybody_sleeps() { return g.idle.counts().sleeping() != 0; }

bool processors_suffice() { return g.workers.load(std::memory_order_relaxed) <= g.processors; }

bool is_asleep(std::uint32_t carrier) { return g.idle.still_asleep(carrier); }

std::uint32_t idle_carriers() {
    std::uint32_t idle = 0;
    for (const Carrier& worker : all_workers()) idle += worker.looking.load(std::memory_order_relaxed) ? 1 : 0;
    return idle;
}

}  // namespace gossamer::fiber
