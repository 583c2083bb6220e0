// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops over long (OpenMP 5.2 §11.5). gcc makes static loops without further clauses itself.
#include "abi/gomp/loop.hpp"

using namespace gossamer;
using abi::make_loop;

void gossamer::abi::choose(omp::Loop& loop, const omp::Icvs& icvs, long sched, uint64_t chunk) {
    const int64_t size = chunk > INT64_MAX ? INT64_MAX : static_cast<int64_t>(chunk);
    switch (sched & ~sched_monotonic) {
        case sched_static: omp::choose_schedule(loop, omp::ScheduleKind::static_, size); break;
        case sched_dynamic: omp::choose_schedule(loop, omp::ScheduleKind::dynamic, size); break;
        case sched_guided: omp::choose_schedule(loop, omp::ScheduleKind::guided, size); break;
        default: omp::choose_runtime_schedule(loop, icvs); break;
    }
    const bool runtime = (sched & ~sched_monotonic) == sched_runtime;
    if (!runtime || (sched & sched_monotonic) != 0) loop.monotonic = (sched & sched_monotonic) != 0;
    if (loop.ordered) loop.monotonic = true;
}

namespace {

// A chunk size of the program, none when it is not positive.
uint64_t given(long chunk) { return chunk > 0 ? static_cast<uint64_t>(chunk) : 0; }

omp::Loop scheduled(long lower, long upper, long step, long sched, long chunk, bool ordered) {
    omp::Loop loop = make_loop(lower, upper, step);
    loop.ordered = ordered;
    abi::choose(loop, omp::current().icvs(), sched, given(chunk));
    return loop;
}

}  // namespace

#define START(name, sched, ordered)                                                                                        \
    GOSSAMER_EXPORT bool GOMP_loop_##name##_start(long lower, long upper, long step, long chunk, long* begin, long* end) { \
        return abi::start(scheduled(lower, upper, step, sched, chunk, ordered), begin, end);                               \
    }
#define START_RUNTIME(name, sched, ordered)                                                                    \
    GOSSAMER_EXPORT bool GOMP_loop_##name##_start(long lower, long upper, long step, long* begin, long* end) { \
        return abi::start(scheduled(lower, upper, step, sched, 0, ordered), begin, end);                       \
    }
#define NEXT(name) \
    GOSSAMER_EXPORT bool GOMP_loop_##name##_next(long* begin, long* end) { return abi::next(omp::current(), begin, end); }

START(static, abi::sched_static, false)
START(dynamic, abi::sched_dynamic | abi::sched_monotonic, false)
START(guided, abi::sched_guided | abi::sched_monotonic, false)
START(nonmonotonic_dynamic, abi::sched_dynamic, false)
START(nonmonotonic_guided, abi::sched_guided, false)
START(ordered_static, abi::sched_static, true)
START(ordered_dynamic, abi::sched_dynamic, true)
START(ordered_guided, abi::sched_guided, true)
START_RUNTIME(runtime, abi::sched_runtime | abi::sched_monotonic, false)
START_RUNTIME(nonmonotonic_runtime, abi::sched_auto, false)
START_RUNTIME(maybe_nonmonotonic_runtime, abi::sched_runtime, false)
START_RUNTIME(ordered_runtime, abi::sched_runtime, true)

NEXT(static)
NEXT(dynamic)
NEXT(guided)
NEXT(runtime)
NEXT(nonmonotonic_dynamic)
NEXT(nonmonotonic_guided)
NEXT(nonmonotonic_runtime)
NEXT(maybe_nonmonotonic_runtime)
NEXT(ordered_static)
NEXT(ordered_dynamic)
NEXT(ordered_guided)
NEXT(ordered_runtime)

// begin null: the program deals out a static loop itself and wants only the rest.
GOSSAMER_EXPORT bool GOMP_loop_start(long lower, long upper, long step, long sched, long chunk, long* begin, long* end,
                                     uintptr_t* reductions, void** memory) {
    omp::Thread& thread = omp::current();
    abi::start_extended(thread, scheduled(lower, upper, step, sched, chunk, false), nullptr, 0, reductions, memory);
    return begin == nullptr || abi::next(thread, begin, end);
}

GOSSAMER_EXPORT bool GOMP_loop_ordered_start(long lower, long upper, long step, long sched, long chunk, long* begin, long* end,
                                             uintptr_t* reductions, void** memory) {
    omp::Thread& thread = omp::current();
    abi::start_extended(thread, scheduled(lower, upper, step, sched, chunk, true), nullptr, 0, reductions, memory);
    return begin == nullptr || abi::next(thread, begin, end);
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
