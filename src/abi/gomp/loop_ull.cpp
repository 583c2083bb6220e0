// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops over unsigned long long (OpenMP 5.2 §11.5).
#include "abi/gomp/loop.hpp"

using namespace gossamer;
using abi::Ull;

namespace {

// `code`: an address in the code of the loop.
omp::Loop scheduled(bool up, Ull lower, Ull upper, Ull step, long sched, Ull chunk, bool ordered, const void* code) {
    omp::Loop loop = abi::make_loop(up, lower, upper, step);
    loop.ordered = ordered;
    loop.site = omp::loop_site(code);
    abi::choose(loop, omp::current().icvs(), sched, chunk);
    return loop;
}

}  // namespace

#define NEXT(name) \
    GOSSAMER_EXPORT bool GOMP_loop_ull_##name##_next(Ull* begin, Ull* end) { return abi::next(omp::current(), begin, end); }
#define ENTRIES(name, sched, ordered)                                                                                 \
    GOSSAMER_EXPORT bool GOMP_loop_ull_##name##_start(bool up, Ull lower, Ull upper, Ull step, Ull chunk, Ull* begin, \
                                                      Ull* end) {                                                     \
        return abi::start(scheduled(up, lower, upper, step, sched, chunk, ordered, GOSSAMER_CALLER), begin, end);     \
    }                                                                                                                 \
    NEXT(name)
#define ENTRIES_AT_RUN_TIME(name, sched, ordered)                                                                      \
    GOSSAMER_EXPORT bool GOMP_loop_ull_##name##_start(bool up, Ull lower, Ull upper, Ull step, Ull* begin, Ull* end) { \
        return abi::start(scheduled(up, lower, upper, step, sched, 0, ordered, GOSSAMER_CALLER), begin, end);          \
    }                                                                                                                  \
    NEXT(name)

GOSSAMER_LOOP_KINDS(ENTRIES, ENTRIES_AT_RUN_TIME)

GOSSAMER_EXPORT bool GOMP_loop_ull_start(bool up, Ull lower, Ull upper, Ull step, long sched, Ull chunk, Ull* begin, Ull* end,
                                         uintptr_t* reductions, void** memory) {
    return abi::start_extended(scheduled(up, lower, upper, step, sched, chunk, false, GOSSAMER_CALLER), nullptr, 0, reductions,
                               memory, begin, end);
}

GOSSAMER_EXPORT bool GOMP_loop_ull_ordered_start(bool up, Ull lower, Ull upper, Ull step, long sched, Ull chunk, Ull* begin,
                                                 Ull* end, uintptr_t* reductions, void** memory) {
    return abi::start_extended(scheduled(up, lower, upper, step, sched, chunk, true, GOSSAMER_CALLER), nullptr, 0, reductions,
                               memory, begin, end);
}
