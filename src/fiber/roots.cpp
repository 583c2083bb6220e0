// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Several native threads in parallel regions at once, the roots, share the carriers. Each is a carrier itself while it is
// in a region, so workers make way: of workers and roots that take part no more are awake than there may be carriers.
//
//   awake = workers + roots inside - those of them that are parked
//
// With that many awake, work that becomes visible wakes nobody (`crowded`); with one more, a worker that comes to its loop
// takes nothing more and parks (`makes_way`). What it leaves in its queues is found by those who are awake, who look at
// everybody's when they have nothing left of their own.
//
// Why nothing is forgotten. A publisher makes its work visible, then reads how many are awake; whoever stops taking part
// lowers that number, then looks for work and a sleeper; a worker that makes way counts itself asleep, then reads the number
// again. A full fence stands between the two steps of each. So of any two of them the later sees the earlier: the publisher
// sees that there is room, or whoever made the room sees the work. Where nobody makes room, because all who are awake run
// something long, the monitor relieves what waits (relief.cpp): a root may wait by its own means for what is queued.
//
// With one root, which is nearly always, all this is one load of a line that nobody writes. More roots than carriers are
// left to the kernel's time slices (docs/decisions/0005-roots-and-time-slices.md).

#include "fiber/scheduler.hpp"

namespace gossamer::fiber {

namespace {

bool awake_beyond(std::uint32_t most) {
    std::atomic_thread_fence(std::memory_order_seq_cst);  // pairs with announce's, and with stop_taking_part
    const std::uint32_t all = g.workers.load(std::memory_order_relaxed) - 1 + g.inside.load(std::memory_order_relaxed);
    return all > most + g.idle.counts().sleeping();
}

}  // namespace

bool too_many_awake(std::uint32_t more) { return awake_beyond(g.config.carriers - 1 + more); }

void take_part() {
    if (GOSSAMER_LIKELY(!several_roots())) return;
    Carrier& carrier = *self()->carrier;
    if (carrier.inside) return;
    carrier.inside = true;
    g.inside.fetch_add(1, std::memory_order_relaxed);  // workers see it when they next look
}

void stop_taking_part(Carrier& carrier) {
    carrier.inside = false;
    g.inside.fetch_sub(1, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_seq_cst);  // pairs with those of publishers and of who makes way
    if (g.idle.counts().sleeping() != 0 && anything_to_steal(carrier)) published_here(carrier);
}

}  // namespace gossamer::fiber
