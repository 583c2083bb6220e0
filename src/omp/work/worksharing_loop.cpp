// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "omp/work/worksharing_loop.hpp"

#include "omp/team/team.hpp"
#include "omp/work/deal.hpp"
#include "omp/work/ordered.hpp"

namespace gossamer::omp {

void choose_schedule(Loop& loop, ScheduleKind kind, int64_t chunk) {
    loop.chunk = chunk > 0 ? static_cast<uint64_t>(chunk) : 1;
    switch (kind) {
        case ScheduleKind::dynamic: loop.partition = Partition::dynamic; break;
        case ScheduleKind::guided: loop.partition = Partition::guided; break;
        case ScheduleKind::static_:
            loop.partition = chunk > 0 ? Partition::static_chunked : Partition::static_block;
            break;
        case ScheduleKind::auto_: loop.partition = Partition::static_block; break;
    }
}

void choose_runtime_schedule(Loop& loop, const Icvs& icvs) {
    choose_schedule(loop, icvs.schedule_kind, icvs.schedule_chunk);
}

void loop_start(Thread& thread, const Loop& loop, bool with_share) {
    fiber::scheduling_point();
    ThreadWork& work = thread.work;
    if (with_share || loop_needs_share(loop, thread.team->size)) {
        share_enter(thread);
    } else if (GOSSAMER_UNLIKELY(work.share != nullptr)) {
        share_leave(thread);
    }
    work.loop = loop;
    // One thread needs no shared counter.
    if (thread.team->size == 1) {
        work.loop.partition = loop.merged ? Partition::static_block : Partition::static_chunked;
    }
    work.chunk = {};
    work.round = 0;
}

bool loop_next(Thread& thread, Chunk& chunk) {
    ThreadWork& work = thread.work;
    const Loop& loop = work.loop;
    const uint32_t threads = thread.team->size;
    if (loop.ordered && threads > 1 && !work.chunk.empty()) ordered_pass_chunk(thread);
    bool more;
    switch (loop.partition) {
        case Partition::dynamic: more = take_dynamic(work.share->next, loop, threads, chunk); break;
        case Partition::guided:
        case Partition::guided_simd: more = take_guided(work.share->next, loop, threads, chunk); break;
        default: more = take_static(loop, threads, thread.num, work.round++, chunk); break;
    }
    work.chunk = more ? chunk : Chunk{};
    work.ordered = work.chunk.begin;
    return more;
}

}  // namespace gossamer::omp
