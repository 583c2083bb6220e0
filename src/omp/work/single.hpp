// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The single construct (OpenMP 5.2 §11.1) and its copyprivate clause (§5.7.2).
//
// The team counts the single constructs that some thread has claimed, each thread those it has met. The two are equal
// only for the first thread to meet the next one, so one counter serves any number of constructs without a barrier.
#pragma once

#include "omp/team/team.hpp"

namespace gossamer::omp {

// True for the thread that executes the region. Never suspends.
inline bool single_start(Thread& thread) {
    fiber::scheduling_point();
    thread.worked = true;
    const uint32_t construct = thread.work.singles++;
    uint32_t claimed = construct;
    std::atomic<uint32_t>& singles = thread.team->work.singles;
    // relaxed, both: the construct's barrier orders what the region does; the counter only elects.
    if (singles.load(std::memory_order_relaxed) != construct) return false;
    return singles.compare_exchange_strong(claimed, construct + 1, std::memory_order_relaxed);
}

// The executing thread's data reaches the others in two barriers: after the first they may read the pointer, after the
// second, which is the program's or the ABI's to call, it is no longer needed.
inline void copyprivate_give(Thread& thread, void* data) { thread.team->work.copyprivate = data; }
inline void* copyprivate_take(Thread& thread) { return thread.team->work.copyprivate; }

}  // namespace gossamer::omp
