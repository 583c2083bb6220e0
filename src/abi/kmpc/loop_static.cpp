// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops with a static schedule, of teams and of leagues (OpenMP 5.2 §11.5, §11.6).
#include "abi/kmpc/kmpc.hpp"
#include "abi/kmpc/static_bounds.hpp"

using namespace gossamer;
using abi::Ident;
using abi::static_bounds;
using abi::StaticBounds;

namespace {

template <class T>
using Step = std::make_signed_t<T>;

template <class T>
void give(const StaticBounds<T>& bounds, int32_t* last, T* lower, T* upper, Step<T>* stride) {
    *lower = bounds.lower;
    *upper = bounds.upper;
    if (stride != nullptr) *stride = bounds.stride;
    if (last != nullptr) *last = bounds.last;
}

// for, do and distribute: the pointers pass the loop in and the thread's bounds out.
template <class T>
GOSSAMER_NOINLINE void for_init(Ident*, int32_t, int32_t schedule, int32_t* last, T* lower, T* upper, Step<T>* stride,
                                Step<T> step, Step<T> chunk) {
    fiber::scheduling_point();
    const omp::Thread& thread = omp::current();
    const abi::ScheduleArgument argument(schedule);
    uint32_t threads = thread.team->size;
    uint32_t num = thread.num;
    if (StaticBounds<T> mine; GOSSAMER_LIKELY(argument.number == abi::schedule_static) &&
                              abi::static_unit_block<T>(*lower, *upper, step, threads, num, mine)) {
        give(mine, last, lower, upper, stride);
        return;
    }
    if (argument.number >= abi::first_distribute) {
        threads = omp::num_teams(thread);
        num = omp::team_num(thread);
    }
    give(static_bounds<T>(argument.number, *lower, *upper, step, chunk, threads, num), last, lower, upper, stride);
}

// A loop with one iteration for each thread, in a few instructions without a frame. False: it is another kind of loop, and
// nothing is written.
template <class T>
GOSSAMER_INLINE bool one_each(int32_t schedule, int32_t* last, T* lower, T* upper, Step<T>* stride, Step<T> step) {
    if (schedule != abi::schedule_static || stride == nullptr || last == nullptr) return false;
    const omp::Thread* const thread = omp::known_current();
    if (GOSSAMER_UNLIKELY(thread == nullptr) || fiber::mode_is_on(fiber::mode_chaos)) return false;
    StaticBounds<T> mine;
    if (!abi::static_one_each<T>(*lower, *upper, step, thread->team->size, thread->num, mine)) return false;
    *lower = *upper = mine.lower;
    *stride = mine.stride;
    *last = mine.last;
    return true;
}

// distribute parallel for as one construct: the threads share the team's block, whose end is *team_upper.
template <class T>
void distribute_for_init(int32_t schedule, int32_t* last, T* lower, T* upper, T* team_upper, Step<T>* stride, Step<T> step,
                         Step<T> chunk) {
    fiber::scheduling_point();
    const omp::Thread& thread = omp::current();
    const auto team =
        static_bounds<T>(abi::schedule_distribute, *lower, *upper, step, 0, omp::num_teams(thread), omp::team_num(thread));
    *team_upper = team.upper;
    auto mine = static_bounds<T>(abi::ScheduleArgument(schedule).number, team.lower, team.upper, step, chunk, thread.team->size,
                                 thread.num);
    mine.last = mine.last && team.last;
    give(mine, last, lower, upper, stride);
}

// distribute with a chunk size: the team's first chunk and the stride to its next.
template <class T>
void team_init(int32_t* last, T* lower, T* upper, Step<T>* stride, Step<T> step, Step<T> chunk) {
    fiber::scheduling_point();
    const omp::Thread& thread = omp::current();
    give(static_bounds<T>(abi::schedule_distribute_chunked, *lower, *upper, step, chunk, omp::num_teams(thread),
                          omp::team_num(thread)),
         last, lower, upper, stride);
}

}  // namespace

#define ENTRIES(suffix, T, S)                                                                                             \
    GOSSAMER_EXPORT void __kmpc_for_static_init_##suffix(Ident* where, int32_t thread, int32_t schedule, int32_t* last,   \
                                                         T* lower, T* upper, S* stride, S step, S chunk) {                \
        if (GOSSAMER_LIKELY(one_each<T>(schedule, last, lower, upper, stride, step))) return;                             \
        for_init<T>(where, thread, schedule, last, lower, upper, stride, step, chunk);                                    \
    }                                                                                                                     \
    GOSSAMER_EXPORT void __kmpc_dist_for_static_init_##suffix(Ident*, int32_t, int32_t schedule, int32_t* last, T* lower, \
                                                              T* upper, T* team_upper, S* stride, S step, S chunk) {      \
        distribute_for_init<T>(schedule, last, lower, upper, team_upper, stride, step, chunk);                            \
    }                                                                                                                     \
    GOSSAMER_EXPORT void __kmpc_team_static_init_##suffix(Ident*, int32_t, int32_t* last, T* lower, T* upper, S* stride,  \
                                                          S step, S chunk) {                                              \
        team_init<T>(last, lower, upper, stride, step, chunk);                                                            \
    }

ENTRIES(4, int32_t, int32_t)
ENTRIES(4u, uint32_t, int32_t)
ENTRIES(8, int64_t, int64_t)
ENTRIES(8u, uint64_t, int64_t)

GOSSAMER_EXPORT void __kmpc_for_static_fini(Ident*, int32_t) {}
GOSSAMER_EXPORT void __kmpc_dist_for_static_fini(Ident*, int32_t) {}
