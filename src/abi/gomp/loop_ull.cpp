// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops over unsigned long long (OpenMP 5.2 §11.5).
#include "abi/gomp/loop.hpp"

using namespace gossamer;
using abi::Ull;

namespace {

omp::Loop scheduled(bool up, Ull lower, Ull upper, Ull step, long sched, Ull chunk, bool ordered) {
    omp::Loop loop = abi::make_loop(up, lower, upper, step);
    loop.ordered = ordered;
    abi::choose(loop, omp::current().icvs(), sched, chunk);
    return loop;
}

}  // namespace

#define START(name, sched, ordered)                                                                                   \
    GOSSAMER_EXPORT bool GOMP_loop_ull_##name##_start(bool up, Ull lower, Ull upper, Ull step, Ull chunk, Ull* begin, \
                                                      Ull* end) {                                                     \
        return abi::start(scheduled(up, lower, upper, step, sched, chunk, ordered), begin, end);                      \
    }
#define START_RUNTIME(name, sched, ordered)                                                                            \
    GOSSAMER_EXPORT bool GOMP_loop_ull_##name##_start(bool up, Ull lower, Ull upper, Ull step, Ull* begin, Ull* end) { \
        return abi::start(scheduled(up, lower, upper, step, sched, 0, ordered), begin, end);                           \
    }
#define NEXT(name) \
    GOSSAMER_EXPORT bool GOMP_loop_ull_##name##_next(Ull* begin, Ull* end) { return abi::next(omp::current(), begin, end); }

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

GOSSAMER_EXPORT bool GOMP_loop_ull_start(bool up, Ull lower, Ull upper, Ull step, long sched, Ull chunk, Ull* begin, Ull* end,
                                         uintptr_t* reductions, void** memory) {
    omp::Thread& thread = omp::current();
    abi::start_extended(thread, scheduled(up, lower, upper, step, sched, chunk, false), nullptr, 0, reductions, memory);
    return begin == nullptr || abi::next(thread, begin, end);
}

GOSSAMER_EXPORT bool GOMP_loop_ull_ordered_start(bool up, Ull lower, Ull upper, Ull step, long sched, Ull chunk, Ull* begin,
                                                 Ull* end, uintptr_t* reductions, void** memory) {
    omp::Thread& thread = omp::current();
    abi::start_extended(thread, scheduled(up, lower, upper, step, sched, chunk, true), nullptr, 0, reductions, memory);
    return begin == nullptr || abi::next(thread, begin, end);
}
