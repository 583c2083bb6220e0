// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The worksharing-loop construct (OpenMP 5.2 §11.5): a thread's way through one loop, chunk by chunk.
//
//     loop_start(thread, loop);
//     Chunk chunk;
//     while (loop_next(thread, chunk)) body(chunk);
//     share_leave(thread);
//     barrier(thread);                    // unless nowait
#pragma once

#include "omp/icv/icv.hpp"
#include "omp/thread/thread.hpp"
#include "omp/work/ahead.hpp"
#include "omp/work/deal.hpp"
#include "omp/work/loop.hpp"
#include "omp/work/share.hpp"

namespace gossamer::omp {

// Fills in partition, chunk and monotonic from run-sched-var, for schedule(runtime) (§11.5.3). auto is static.
void choose_runtime_schedule(Loop& loop, const Icvs& icvs);

// Fills in partition and chunk; chunk 0 or less: none given.
void choose_schedule(Loop& loop, ScheduleKind kind, int64_t chunk);

// Whether the threads of a team of `size` need a share to work through this loop.
constexpr bool loop_needs_share(const Loop& loop, uint32_t size) {
    return size > 1 && (loop.ordered || !is_static(loop.partition));
}

// Begins a loop. Enters a share if the loop needs one, or if `with_share`. May suspend as share_enter does.
void loop_start(Thread& thread, const Loop& loop, bool with_share = false);

// dynamic_ahead: takes the first chunk that the thread holds. False: it holds none.
inline bool take_held(const ThreadWork& work, Chunk& chunk) {
    uint64_t first;
    if (!work.ahead.held->take(work.loop.chunk, first)) return false;
    chunk = chunk_from(work.loop, first);
    return true;
}

// Gives the thread its next chunk, which is not empty; false when there is none. In a loop with an ordered clause it passes
// the chunk before. May suspend.
bool loop_next_any(Thread& thread, Chunk& chunk);
inline bool loop_next(Thread& thread, Chunk& chunk) {
    fiber::scheduling_point();
    ThreadWork& work = thread.work;
    uint32_t number;
    if (GOSSAMER_LIKELY(work.loop.partition == Partition::dynamic_stealing) && work.stealing.portion->take_first(number)) {
        chunk.begin = number * work.loop.chunk;
        chunk.end = chunk.begin + work.loop.chunk;  // not the last chunk, which alone may be cut short
        return true;
    }
    if (work.loop.partition == Partition::dynamic_ahead && work.counted_holder && take_held(work, chunk)) {
        const bool more = GOSSAMER_LIKELY(chunk.end != work.loop.count) || begin_last(thread, chunk);
        work.chunk = more ? chunk : Chunk{};
        return more;
    }
    return loop_next_any(thread, chunk);
}

}  // namespace gossamer::omp
