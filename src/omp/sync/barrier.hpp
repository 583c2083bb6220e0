// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The barrier of a team (OpenMP 5.2 §15.3): a counter of those that arrived, and a generation that the last one advances; for
// a team of two, both in one word.
// Nobody queues: a waiter that stops spinning leaves itself in its own thread's slot, and the last one in looks at the
// slots by thread number and wakes each where it last ran (docs/protocols/barrier.md).
#pragma once

#include <atomic>
#include <cstdint>

#include "base/base.hpp"

namespace gossamer::omp {

struct Team;
struct Thread;

struct Barrier {
    // How many have arrived. In a team of two: twice the generation, plus one while one of them waits. So the line that the
    // second one brings home from the first is all that has to move, and the first looks at it where it is.
    alignas(no_share) std::atomic<uint32_t> arrived{0};
    // Of the single construct (work/single.hpp). It mostly ends in a barrier, which then finds the line at hand.
    std::atomic<uint64_t> singles{0};  // the region, and how many of its single constructs some thread has claimed
    void* copyprivate = nullptr;       // the broadcaster's data, between the construct's two barriers
    alignas(no_share) std::atomic<uint32_t> generation{0};  // spinning waiters read this line, nobody writes it meanwhile
    std::atomic<uint32_t> sleepers{0};                      // slots that may hold a waiter

    // Before a region of another size starts, or behind a cancelled one, which leaves the count half done; while none of its
    // threads runs.
    void reset() { arrived.store(0, std::memory_order_relaxed); }
};

// Waits until all threads of the team have arrived. May suspend. `cancellable`: returns true, at once, when the parallel
// region is or becomes cancelled (§11.1); otherwise returns false.
bool barrier(Thread& thread, bool cancellable = false);

// Wakes those that wait at a cancellable barrier, after Team::cancelled was changed.
void wake_cancelled(Team& team);

}  // namespace gossamer::omp
