// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The single construct (OpenMP 5.2 §11.1) and its copyprivate clause (§5.7.2).
//
// The team counts the single constructs that some thread has claimed, each thread those it has met. The two are equal
// only for the first thread to meet the next one, so one counter serves any number of constructs without a barrier. It holds
// the region's number too, and counts as zero in any other, so that no region has to begin by resetting it.
#pragma once

#include "omp/team/team.hpp"

namespace gossamer::omp {

// Whose data the others have copied should execute the next region too: what it writes is at hand there, and what they copy
// has not moved. By the barrier's release another one is often here first: it leaves the region to it for a moment.
void let_lead(Thread& thread, uint64_t claimed);

// True for the thread that executes the region. Never suspends.
inline bool single_start(Thread& thread) {
    fiber::scheduling_point();
    thread.note_work();
    const uint32_t construct = thread.work.singles++;
    const uint64_t region = uint64_t{thread.epoch} << 32;
    std::atomic<uint64_t>& singles = thread.team->barrier.singles;
    // relaxed, all: the construct's barrier orders what the region does; the counter only elects.
    uint64_t claimed = region | construct;
    if (GOSSAMER_UNLIKELY(construct == 0)) {
        claimed = singles.load(std::memory_order_relaxed);
        const uint32_t count = claimed >> 32 == thread.epoch ? static_cast<uint32_t>(claimed) : 0;
        if (count != construct) return false;
    }
    if (GOSSAMER_UNLIKELY(thread.work.follows)) let_lead(thread, claimed);
    // No look before it: the barrier behind the construct needs the line for itself anyway.
    return singles.compare_exchange_strong(claimed, region | static_cast<uint32_t>(construct + 1), std::memory_order_relaxed);
}

// The single construct that the thread has met last, among all of its team's regions.
inline uint64_t this_single(const Thread& thread) { return uint64_t{thread.epoch} << 32 | thread.work.singles; }

// The executing thread's data reaches the others, each as soon as it is there; behind the barrier that follows, the program's or
// the ABI's to call, it is no longer needed. `copyprivate_take` may suspend.
inline void copyprivate_give(Thread& thread, void* data) { broadcast(*thread.team, this_single(thread), data); }
inline void* copyprivate_take(Thread& thread) {
    thread.work.follows = true;
    return await_broadcast(thread, this_single(thread));
}

}  // namespace gossamer::omp
