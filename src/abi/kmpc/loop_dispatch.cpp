// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops whose chunks are asked for one by one: dynamic, guided, auto, runtime, and every schedule with ordered
// (OpenMP 5.2 §11.5.3, §15.10).
#include "abi/kmpc/kmpc.hpp"
#include "abi/kmpc/static_bounds.hpp"

using namespace gossamer;
using abi::Ident;

namespace {

template <class T>
using Step = std::make_signed_t<T>;

// For simd loops with schedule(runtime); `width` is the simd width.
void choose_simd(omp::Loop& loop, const omp::Icvs& icvs, uint64_t width, uint32_t threads) {
    uint64_t size = 0;
    const uint64_t set = icvs.schedule_chunk > 0 ? static_cast<uint64_t>(icvs.schedule_chunk) : 1;
    if (__builtin_mul_overflow(set, width, &size)) size = UINT64_MAX;  // more than any loop has iterations
    loop.chunk = size;
    switch (icvs.schedule_kind) {
        case omp::ScheduleKind::dynamic: loop.partition = omp::Partition::dynamic; break;
        case omp::ScheduleKind::guided: loop.partition = omp::Partition::guided_simd; break;
        default:
            loop.partition = omp::Partition::static_chunked;
            if (icvs.schedule_kind == omp::ScheduleKind::static_ && icvs.schedule_chunk > 0) break;
            loop.chunk = omp::rounded_block(loop.count, threads, width);
            break;
    }
}

void choose(omp::Loop& loop, const abi::ScheduleArgument& argument, int64_t chunk, const omp::Thread& thread) {
    const uint64_t size = chunk > 0 ? static_cast<uint64_t>(chunk) : 1;
    const omp::Icvs& icvs = thread.task->icvs;
    loop.chunk = size;
    switch (argument.number) {
        case abi::schedule_static_chunked: loop.partition = omp::Partition::static_chunked; break;
        case abi::schedule_dynamic:
        case abi::schedule_static_steal: loop.partition = omp::Partition::dynamic; break;
        case abi::schedule_guided:
        case abi::schedule_trapezoidal:
        case abi::schedule_guided_iterative:
        case abi::schedule_guided_analytical: loop.partition = omp::Partition::guided; break;
        case abi::schedule_guided_simd: loop.partition = omp::Partition::guided_simd; break;
        case abi::schedule_runtime: omp::choose_runtime_schedule(loop, icvs); break;
        case abi::schedule_runtime_simd: choose_simd(loop, icvs, size, thread.team->size); break;
        case abi::schedule_static_greedy: loop.partition = omp::Partition::static_greedy; break;
        default: loop.partition = omp::Partition::static_block; break;
    }
    // Compilers for OpenMP 5 pass nonmonotonic where the program names no modifier. With schedule(runtime) OMP_SCHEDULE decides
    // first; binaries of older compilers pass nothing, and may rely on the order.
    const bool runtime = argument.number == abi::schedule_runtime || argument.number == abi::schedule_runtime_simd;
    bool may_be_out_of_order = argument.nonmonotonic || argument.number == abi::schedule_static_steal;
    if (runtime && icvs.schedule_ordering != omp::Ordering::unsaid) {
        may_be_out_of_order = icvs.schedule_ordering == omp::Ordering::nonmonotonic;
    }
    loop.monotonic = argument.monotonic || argument.ordered || !may_be_out_of_order;
    loop.merged = !argument.unmerged;
}

template <class T>
void init(int32_t schedule, T lower, T upper, Step<T> step, Step<T> chunk) {
    omp::Thread& thread = omp::current();
    const abi::ScheduleArgument argument(schedule);
    omp::Loop loop;
    loop.base = static_cast<uint64_t>(lower);
    loop.step = static_cast<uint64_t>(static_cast<int64_t>(step));
    loop.count = omp::iterations_inclusive<T>(lower, upper, step);
    loop.ordered = argument.ordered;
    choose(loop, argument, chunk, thread);
    omp::loop_start(thread, loop);
}

template <class T>
int32_t next(int32_t* last, T* lower, T* upper, Step<T>* stride) {
    omp::Thread& thread = omp::current();
    const omp::Loop& loop = thread.work.loop;
    omp::Chunk chunk;
    if (!omp::loop_next(thread, chunk)) {
        omp::share_leave(thread);
        return 0;
    }
    *lower = static_cast<T>(loop.value(chunk.begin));
    *upper = static_cast<T>(loop.value(chunk.end - 1));
    if (stride != nullptr) *stride = static_cast<Step<T>>(loop.step);
    if (last != nullptr) *last = chunk.end == loop.count;
    return 1;
}

// distribute parallel for with such a schedule: the threads of a team share the team's block.
template <class T>
void distribute_init(int32_t schedule, int32_t* last, T lower, T upper, Step<T> step, Step<T> chunk) {
    const omp::Thread& thread = omp::current();
    const auto team =
        abi::static_bounds<T>(abi::schedule_distribute, lower, upper, step, 0, omp::num_teams(thread), omp::team_num(thread));
    if (last != nullptr) *last = team.last;
    init<T>(schedule, team.lower, team.upper, step, chunk);
}

// After each iteration of a loop with an ordered clause.
void iteration_end() {
    omp::Thread& thread = omp::current();
    if (thread.work.loop.ordered) omp::ordered_iteration_end(thread);
}

}  // namespace

#define ENTRIES(suffix, T, S)                                                                                                  \
    GOSSAMER_EXPORT void __kmpc_dispatch_init_##suffix(Ident*, int32_t, int32_t schedule, T lower, T upper, S step, S chunk) { \
        init<T>(schedule, lower, upper, step, chunk);                                                                          \
    }                                                                                                                          \
    GOSSAMER_EXPORT void __kmpc_dist_dispatch_init_##suffix(Ident*, int32_t, int32_t schedule, int32_t* last, T lower,         \
                                                            T upper, S step, S chunk) {                                        \
        distribute_init<T>(schedule, last, lower, upper, step, chunk);                                                         \
    }                                                                                                                          \
    GOSSAMER_EXPORT int32_t __kmpc_dispatch_next_##suffix(Ident*, int32_t, int32_t* last, T* lower, T* upper, S* stride) {     \
        return next<T>(last, lower, upper, stride);                                                                            \
    }                                                                                                                          \
    GOSSAMER_EXPORT void __kmpc_dispatch_fini_##suffix(Ident*, int32_t) { iteration_end(); }

ENTRIES(4, int32_t, int32_t)
ENTRIES(4u, uint32_t, int32_t)
ENTRIES(8, int64_t, int64_t)
ENTRIES(8u, uint64_t, int64_t)

// Called behind the loop: a cancelled loop has not come to the end of its chunks.
GOSSAMER_EXPORT void __kmpc_dispatch_deinit(Ident*, int32_t) { omp::share_leave(omp::current()); }
