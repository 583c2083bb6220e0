// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "omp/work/worksharing_loop.hpp"

#include "omp/team/team.hpp"
#include "omp/work/ordered.hpp"

namespace gossamer::omp {

namespace {

// Takes `size` iterations from the front, or what is left, without ever counting past the end: for chunks so large that
// next would wrap if every thread of the team added one beyond the end.
bool take_carefully(std::atomic<uint64_t>& next, const Loop& loop, uint32_t threads, Chunk& chunk) {
    uint64_t begin = next.load(std::memory_order_relaxed);
    uint64_t size = 0;
    do {
        const uint64_t left = loop.count - begin;
        if (left == 0) return false;
        switch (loop.partition) {
            case Partition::guided: size = guided_size(left, loop.chunk, threads); break;
            case Partition::guided_simd: size = guided_simd_size(left, loop.chunk, threads); break;
            default: size = left < loop.chunk ? left : loop.chunk; break;
        }
        // relaxed: the counter orders nothing; entering and leaving the share do.
    } while (!next.compare_exchange_weak(begin, begin + size, std::memory_order_relaxed));
    chunk = {begin, begin + size};
    return true;
}

// One RMW a chunk. A thread asks once more than it gets, so next passes the end by at most one chunk a thread.
bool take(std::atomic<uint64_t>& next, const Loop& loop, uint32_t threads, Chunk& chunk) {
    if (GOSSAMER_UNLIKELY(loop.chunk > (UINT64_MAX - loop.count) / threads)) {
        return take_carefully(next, loop, threads, chunk);
    }
    const uint64_t begin = next.fetch_add(loop.chunk, std::memory_order_relaxed);  // relaxed: as above
    if (begin >= loop.count) return false;
    chunk = {begin, loop.count - begin < loop.chunk ? loop.count : begin + loop.chunk};
    return true;
}

bool take_static(const Loop& loop, uint32_t threads, uint32_t num, uint64_t round, Chunk& chunk) {
    switch (loop.partition) {
        case Partition::static_chunked: chunk = static_chunk(loop.count, loop.chunk, threads, num, round); break;
        case Partition::static_greedy: chunk = static_greedy(loop.count, threads, num); break;
        default: chunk = static_block(loop.count, threads, num); break;
    }
    return !chunk.empty() && (round == 0 || loop.partition == Partition::static_chunked);
}

}  // namespace

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
    // One thread takes everything at once.
    if (thread.team->size == 1) work.loop.partition = Partition::static_block;
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
        case Partition::dynamic: more = take(work.share->next, loop, threads, chunk); break;
        case Partition::guided:
        case Partition::guided_simd: more = take_carefully(work.share->next, loop, threads, chunk); break;
        default: more = take_static(loop, threads, thread.num, work.round++, chunk); break;
    }
    work.chunk = more ? chunk : Chunk{};
    work.ordered = work.chunk.begin;
    return more;
}

}  // namespace gossamer::omp
