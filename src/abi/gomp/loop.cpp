// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops over long (OpenMP 5.2 §11.5). gcc deals out static loops without further clauses itself.
#include "abi/gomp/loop.hpp"

using namespace gossamer;
using abi::make_loop;

void gossamer::abi::choose(omp::Loop& loop, const omp::Icvs& icvs, long sched, uint64_t chunk) {
    const int64_t size = chunk > INT64_MAX ? INT64_MAX : static_cast<int64_t>(chunk);
    const long kind = sched & ~sched_monotonic;
    switch (kind) {
        case sched_static: omp::choose_schedule(loop, omp::ScheduleKind::static_, size); break;
        case sched_dynamic: omp::choose_schedule(loop, omp::ScheduleKind::dynamic, size); break;
        case sched_guided: omp::choose_schedule(loop, omp::ScheduleKind::guided, size); break;
        default: omp::choose_runtime_schedule(loop, icvs); break;
    }
    // gcc calls the nonmonotonic entries, too, where the program names no modifier, as OpenMP 5 says. But libgomp deals out
    // chunks in increasing order all the same, and programs rely on it: so do SuperLU_dist's threads, which walk along a list.
    const bool by_name = kind == sched_auto && icvs.schedule_ordering != omp::Ordering::monotonic;
    const bool by_setting = sched == sched_runtime && icvs.schedule_ordering == omp::Ordering::nonmonotonic;
    loop.monotonic = loop.ordered || !(by_name || by_setting);
    // One by one where the program or the setting says monotonic, and in programs for OpenMP 4.
    const bool at_run_time = kind == sched_runtime || kind == sched_auto;
    const bool said = (sched & sched_monotonic) != 0 || (at_run_time && icvs.schedule_ordering == omp::Ordering::monotonic);
    if (loop.partition == omp::Partition::dynamic && loop.monotonic && !loop.ordered && !said) {
        loop.partition = omp::Partition::dynamic_ahead;
    }
}

namespace {

// `code`: an address in the code of the loop.
omp::Loop scheduled(long lower, long upper, long step, long sched, long chunk, bool ordered, const void* code) {
    omp::Loop loop = make_loop(lower, upper, step);
    loop.ordered = ordered;
    loop.site = omp::loop_site(code);
    abi::choose(loop, omp::current().icvs(), sched, abi::given_chunk(chunk));
    return loop;
}

}  // namespace

#define NEXT(name) \
    GOSSAMER_EXPORT bool GOMP_loop_##name##_next(long* begin, long* end) { return abi::next(omp::current(), begin, end); }
#define ENTRIES(name, sched, ordered)                                                                                      \
    GOSSAMER_EXPORT bool GOMP_loop_##name##_start(long lower, long upper, long step, long chunk, long* begin, long* end) { \
        return abi::start(scheduled(lower, upper, step, sched, chunk, ordered, GOSSAMER_CALLER), begin, end);              \
    }                                                                                                                      \
    NEXT(name)
#define ENTRIES_AT_RUN_TIME(name, sched, ordered)                                                              \
    GOSSAMER_EXPORT bool GOMP_loop_##name##_start(long lower, long upper, long step, long* begin, long* end) { \
        return abi::start(scheduled(lower, upper, step, sched, 0, ordered, GOSSAMER_CALLER), begin, end);      \
    }                                                                                                          \
    NEXT(name)

GOSSAMER_LOOP_KINDS(ENTRIES, ENTRIES_AT_RUN_TIME)

GOSSAMER_EXPORT bool GOMP_loop_start(long lower, long upper, long step, long sched, long chunk, long* begin, long* end,
                                     uintptr_t* reductions, void** memory) {
    return abi::start_extended(scheduled(lower, upper, step, sched, chunk, false, GOSSAMER_CALLER), nullptr, 0, reductions,
                               memory, begin, end);
}

GOSSAMER_EXPORT bool GOMP_loop_ordered_start(long lower, long upper, long step, long sched, long chunk, long* begin, long* end,
                                             uintptr_t* reductions, void** memory) {
    return abi::start_extended(scheduled(lower, upper, step, sched, chunk, true, GOSSAMER_CALLER), nullptr, 0, reductions,
                               memory, begin, end);
}

GOSSAMER_EXPORT void GOMP_loop_end() {
    omp::Thread& thread = omp::current();
    omp::share_leave(thread);
    omp::barrier(thread);
}

GOSSAMER_EXPORT bool GOMP_loop_end_cancel() {
    omp::Thread& thread = omp::current();
    omp::share_leave(thread);
    return omp::barrier(thread, true);
}

GOSSAMER_EXPORT void GOMP_loop_end_nowait() { omp::share_leave(omp::current()); }
