// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The single construct (OpenMP 5.2 §11.1) and its copyprivate clause (§5.7.2).
//
// The team counts the single constructs that some thread has claimed; each thread counts those it has met. The two counts are
// equal only for the first thread to meet the next construct, so one counter serves any number of constructs without a barrier.
// The counter holds the region's number too, and counts as zero in any other region, so that no region has to reset it.
#pragma once

#include "omp/team/team.hpp"

namespace gossamer::omp {

// The thread whose data the others have copied should execute the next single region too: its data lie in its cache, and the
// copies in theirs. Behind the barrier another thread often comes first; here it waits a moment for the former. `claimed`: the
// counter's value until then. Never suspends.
void let_lead(Thread& thread, const std::atomic<uint64_t>& singles, uint64_t claimed);

// True for the thread that executes the region. Suspends in chaos mode only.
inline bool single_start(Thread& thread) {
    fiber::scheduling_point();
    thread.note_work();
    const uint32_t construct = thread.work.singles++;
    const uint64_t region = uint64_t{thread.epoch} << 32;
    Barrier& barrier = thread.team->barrier;
    const bool apart = thread.team->homes >= fewest_in_groups;
    std::atomic<uint64_t>& singles = GOSSAMER_UNLIKELY(apart) ? barrier.singles_apart : barrier.singles;
    // relaxed, all: the construct's barrier orders what the region does; the counter only elects.
    uint64_t claimed = region | construct;
    // Before its first construct the counter may hold any earlier region's number. Otherwise no load comes before, for the
    // barrier behind the construct has to own the line anyway, unless the counter lies apart.
    if (GOSSAMER_UNLIKELY(construct == 0 || apart)) {
        claimed = singles.load(std::memory_order_relaxed);
        const uint32_t count = claimed >> 32 == thread.epoch ? static_cast<uint32_t>(claimed) : 0;
        if (count != construct) return false;
    }
    if (GOSSAMER_UNLIKELY(thread.work.took_copyprivate)) let_lead(thread, singles, claimed);
    return singles.compare_exchange_strong(claimed, region | static_cast<uint32_t>(construct + 1), std::memory_order_relaxed);
}

// The number of the single construct that the thread has met last, among all of its team's regions.
inline uint64_t this_single(const Thread& thread) { return uint64_t{thread.epoch} << 32 | thread.work.singles; }

// copyprivate: the executing thread gives `data`, and each other thread takes it as soon as it is there. The data must last
// until the barrier that follows, which the program or the ABI layer calls. `copyprivate_take` may suspend.
inline void copyprivate_give(Thread& thread, void* data) { broadcast(*thread.team, this_single(thread), data); }
inline void* copyprivate_take(Thread& thread) {
    thread.work.took_copyprivate = true;
    return await_broadcast(thread, this_single(thread));
}

}  // namespace gossamer::omp
