// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What all GOMP_loop_* entries have in common (OpenMP 5.2 §11.5).
#pragma once

#include "abi/gomp/gomp.hpp"

namespace gossamer::abi {

// The `sched` argument of the generic start entries. The monotonic bit is there where the program says so, and for dynamic
// and guided of OpenMP 4 programs; sched_runtime without it leaves the order to OMP_SCHEDULE.
constexpr long sched_runtime = 0;
constexpr long sched_static = 1;
constexpr long sched_dynamic = 2;
constexpr long sched_guided = 3;
constexpr long sched_auto = 4;  // here: schedule(nonmonotonic: runtime)
constexpr long sched_monotonic = 0x80000000;

// lower … upper (exclusive) by step; partition and chunk are still to be chosen.
inline omp::Loop make_loop(long lower, long upper, long step) {
    omp::Loop loop;
    loop.base = static_cast<uint64_t>(lower);
    loop.step = static_cast<uint64_t>(step);
    loop.bound = static_cast<uint64_t>(upper);
    loop.count = omp::iterations_exclusive<int64_t>(lower, upper, step);
    return loop;
}

// The same for unsigned bounds; step holds a negative number when the loop counts down.
inline omp::Loop make_loop(bool up, Ull lower, Ull upper, Ull step) {
    omp::Loop loop;
    loop.base = lower;
    loop.step = step;
    loop.bound = upper;
    if (up) {
        loop.count = lower < upper ? omp::steps_between(upper - lower, step, false) : 0;
    } else {
        loop.count = lower > upper ? omp::steps_between(lower - upper, 0 - step, false) : 0;
    }
    return loop;
}

// `sched` as above, with `chunk` (0 or less: none given). Reads loop.ordered.
void choose(omp::Loop& loop, const omp::Icvs& icvs, long sched, uint64_t chunk);

// Fetches the thread's next chunk as [*begin, *end) in the program's type.
template <class T>
bool next(omp::Thread& thread, T* begin, T* end) {
    omp::Chunk chunk;
    if (!omp::loop_next(thread, chunk)) return false;
    const omp::Loop& loop = thread.work.loop;
    *begin = static_cast<T>(loop.value(chunk.begin));
    // The end of the last chunk is the program's own bound: one step beyond the last iteration might not fit the type.
    *end = static_cast<T>(chunk.end == loop.count ? loop.bound : loop.value(chunk.end));
    return true;
}

// Starts a loop without further wishes and fetches the first chunk.
template <class T>
bool start(const omp::Loop& loop, T* begin, T* end) {
    omp::Thread& thread = omp::current();
    omp::loop_start(thread, loop);
    return next(thread, begin, end);
}

// Starts a loop whose construct has task reductions or asks for memory. `memory`: null, or *memory is a number of bytes
// on entry and zeroed memory, the same for the whole team until the construct's end, on return.
// `ncounts` > 0: a doacross nest of counts[i] iterations each.
void start_extended(omp::Thread& thread, const omp::Loop& loop, const uint64_t* counts, uint32_t ncounts, uintptr_t* reductions,
                    void** memory);

// The same for the construct in whose share the thread is already.
void prepare_extended(omp::Thread& thread, const omp::Loop* loop, const uint64_t* counts, uint32_t ncounts,
                      uintptr_t* reductions, void** memory);

}  // namespace gossamer::abi
