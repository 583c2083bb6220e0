// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "omp/work/worksharing_loop.hpp"

#include "omp/team/team.hpp"
#include "omp/work/deal.hpp"
#include "omp/work/ordered.hpp"

namespace gossamer::omp {

namespace {

// In a larger team a shared counter serves better: no more threads than carriers ask it at a time, and a thread that finds
// nothing left need not look at every sibling's portion.
constexpr uint32_t most_stealing_threads = 64;

constexpr uint32_t nobody = UINT32_MAX;  // ThreadWork::victim of a thread that is through with the loop

uint64_t chunks_of(const Loop& loop) { return loop.chunk == 1 ? loop.count : quotient_up(loop.count, loop.chunk); }

// Whether chunks may come in any order, in a team that may do without a shared counter.
bool may_steal_chunks(const Loop& loop, uint32_t threads) {
    return !loop.monotonic && !loop.ordered && !is_static(loop.partition) && threads <= most_stealing_threads;
}

// The chunks of the loop that stand for number `num` at first. The last chunk is in no block: see take_last.
Portion::Range block(const Thread& thread, uint32_t num) {
    const uint64_t count = thread.work.round;
    const Chunk chunks = static_block(count == 0 ? 0 : count - 1, thread.team->size, num);
    return {static_cast<uint32_t>(chunks.begin), static_cast<uint32_t>(chunks.end)};
}

// Deals out the loop in portions, unless it has too many chunks, or so few that every thread would go and look for more as soon
// as it has run one. All threads of the team decide alike.
void open_portion(Thread& thread) {
    ThreadWork& work = thread.work;
    work.round = chunks_of(work.loop);
    if (work.round <= thread.team->size || work.round >= Portion::most) return;
    work.loop.partition = work.loop.partition == Partition::dynamic ? Partition::dynamic_stealing : Partition::guided_stealing;
    work.stealing.victim = thread.num;
    work.stealing.portion = &thread.portions[work.share - thread.team->work.ring];
    work.stealing.portion->open(work.share->epoch, block(thread, thread.num));
}

Chunk iterations(const Loop& loop, Portion::Range chunks) {
    const uint64_t begin = chunks.begin * loop.chunk;
    const uint64_t size = (chunks.end - chunks.begin) * loop.chunk;
    return {begin, loop.count - begin < size ? loop.count : begin + size};
}

bool last_is_taken(const Share& share) {
    return share.next.load(std::memory_order_relaxed) != 0;  // relaxed: as in the portions
}

// Steals chunks from a sibling, beginning with the last victim.
//
// In a team of more threads than carriers, or where something else is ready here, a thread that has not
// begun mostly waits for a carrier that others of its team keep. So a thief takes all of its portion; and
// once the last chunk is taken, whose taker saw no other left, no thief looks at every portion again.
// Where each thread may have a carrier, a thread that has not begun is only late: the thief leaves it
// half, and a thief that finds nothing goes on looking, for what another one is carrying is in no portion.
Portion::Range steal_chunks(Thread& thread) {
    const Team& team = *thread.team;
    ThreadWork& work = thread.work;
    const auto slot = work.share - team.work.ring;
    const bool queued = team.size > fiber::carrier_count() || fiber::must_give_way();
    if (work.stealing.victim == nobody || (queued && last_is_taken(*work.share))) return {};
    for (uint32_t step = 0; step < team.size; ++step) {
        if (work.stealing.victim != thread.num) {
            Portion& portion = team.threads[work.stealing.victim].portions[slot];
            const auto stolen = portion.steal(work.share->epoch, block(thread, work.stealing.victim), queued);
            if (!stolen.empty()) return stolen;
        }
        work.stealing.victim = work.stealing.victim + 1 == team.size ? 0 : work.stealing.victim + 1;
    }
    return {};
}

// Programs copy a lastprivate variable out of the thread that has run the last chunk, at that thread's end of the loop
// (§5.4.5). So the last chunk is dealt out when all others are, and the thread that gets it gets no further one.
bool take_last(Thread& thread, Chunk& chunk) {
    ThreadWork& work = thread.work;
    work.stealing.victim = nobody;
    std::atomic<uint64_t>& taken = work.share->next;
    if (work.round == 0 || last_is_taken(*work.share)) return false;
    if (taken.exchange(1, std::memory_order_relaxed) != 0) return false;
    const uint32_t last = static_cast<uint32_t>(work.round - 1);
    chunk = iterations(work.loop, {last, last + 1});
    return true;
}

// The next chunk of a thread whose own portion is empty.
bool next_dynamic(Thread& thread, Chunk& chunk) {
    const Portion::Range stolen = steal_chunks(thread);
    // Filled even with nothing: an empty portion must not creep past its end by more than one.
    thread.work.stealing.portion->fill(thread.work.share->epoch, {stolen.begin + 1, stolen.end});
    if (stolen.empty()) return thread.work.stealing.victim != nobody && take_last(thread, chunk);
    chunk = iterations(thread.work.loop, {stolen.begin, stolen.begin + 1});
    return true;
}

// Half of the own portion at a time: about half of what is left, divided by the number of threads.
bool next_guided(Thread& thread, Chunk& chunk) {
    Portion::Range taken = thread.work.stealing.portion->take_front_half();
    if (taken.empty()) {
        const Portion::Range stolen = steal_chunks(thread);
        if (stolen.empty()) return thread.work.stealing.victim != nobody && take_last(thread, chunk);
        taken = {stolen.begin, stolen.begin + (stolen.end - stolen.begin + 1) / 2};
        thread.work.stealing.portion->fill(thread.work.share->epoch, {taken.end, stolen.end});
    }
    chunk = iterations(thread.work.loop, taken);
    return true;
}

}  // namespace

void choose_schedule(Loop& loop, ScheduleKind kind, int64_t chunk) {
    loop.chunk = chunk > 0 ? static_cast<uint64_t>(chunk) : 1;
    switch (kind) {
        case ScheduleKind::dynamic: loop.partition = Partition::dynamic; break;
        case ScheduleKind::guided: loop.partition = Partition::guided; break;
        case ScheduleKind::static_: loop.partition = chunk > 0 ? Partition::static_chunked : Partition::static_block; break;
        case ScheduleKind::auto_: loop.partition = Partition::static_block; break;
    }
}

void choose_runtime_schedule(Loop& loop, const Icvs& icvs) {
    choose_schedule(loop, icvs.schedule_kind, icvs.schedule_chunk);
    loop.monotonic = icvs.schedule_ordering == Ordering::monotonic;
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
    work.passed = 0;
    if (may_steal_chunks(work.loop, thread.team->size)) open_portion(thread);
    if (work.loop.partition == Partition::dynamic_ahead) work.ahead = {&thread.held, 0, 0};
}

bool loop_next_any(Thread& thread, Chunk& chunk) {
    ThreadWork& work = thread.work;
    const Loop& loop = work.loop;
    const uint32_t threads = thread.team->size;
    if (loop.ordered && threads > 1 && !work.chunk.empty()) ordered_pass_chunk(thread);
    bool more;
    switch (loop.partition) {
        case Partition::dynamic: more = take_dynamic(work.share->next, loop, loop.chunk, chunk); break;
        case Partition::dynamic_ahead: more = take_ahead(thread, chunk); break;
        case Partition::guided:
        case Partition::guided_simd: more = take_guided(work.share->next, loop, threads, chunk); break;
        case Partition::dynamic_stealing: return next_dynamic(thread, chunk);
        case Partition::guided_stealing: return next_guided(thread, chunk);
        default: more = take_static(loop, threads, thread.num, work.round++, chunk); break;
    }
    work.chunk = more ? chunk : Chunk{};
    work.ordered = work.chunk.begin;
    return more;
}

}  // namespace gossamer::omp
