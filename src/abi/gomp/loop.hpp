// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What all GOMP_loop_* entries have in common (OpenMP 5.2 §11.5).
#pragma once

#include "abi/gomp/gomp.hpp"

namespace gossamer::abi {

// The `sched` argument of the generic start entries. The monotonic bit is set where the program says so, and for dynamic and
// guided of OpenMP 4 programs. Without it dynamic and guided are in order, too (loop.cpp), and for sched_runtime OMP_SCHEDULE
// decides.
constexpr long sched_runtime = 0;
constexpr long sched_static = 1;
constexpr long sched_dynamic = 2;
constexpr long sched_guided = 3;
constexpr long sched_auto = 4;  // here: schedule(nonmonotonic: runtime)
constexpr long sched_monotonic = 0x80000000;

// The chunk size that the program passes, or 0 (none) if that is not positive.
constexpr uint64_t given_chunk(long chunk) { return chunk > 0 ? static_cast<uint64_t>(chunk) : 0; }

// Number of iterations of an unsigned loop lower … upper (exclusive); step holds a negative number when the loop counts down.
constexpr uint64_t iterations(bool up, Ull lower, Ull upper, Ull step) {
    if (up) return lower < upper ? omp::steps_between(upper - lower, step, false) : 0;
    return lower > upper ? omp::steps_between(lower - upper, 0 - step, false) : 0;
}

// The loop lower … upper (exclusive) by step; `choose` has to fill in the schedule.
inline omp::Loop make_loop(long lower, long upper, long step) {
    omp::Loop loop;
    loop.base = static_cast<uint64_t>(lower);
    loop.step = static_cast<uint64_t>(step);
    loop.bound = static_cast<uint64_t>(upper);
    loop.count = omp::iterations_exclusive<int64_t>(lower, upper, step);
    return loop;
}

// The same for unsigned bounds.
inline omp::Loop make_loop(bool up, Ull lower, Ull upper, Ull step) {
    omp::Loop loop;
    loop.base = lower;
    loop.step = step;
    loop.bound = upper;
    loop.count = iterations(up, lower, upper, step);
    return loop;
}

// Fills in the loop's schedule from `sched`, as above, and `chunk`, 0: none. Reads loop.ordered.
void choose(omp::Loop& loop, const omp::Icvs& icvs, long sched, uint64_t chunk);

// Fetches the thread's next chunk as [*begin, *end) in the program's type; false when there is none. May suspend as
// omp::loop_next does.
template <class T>
bool next(omp::Thread& thread, T* begin, T* end) {
    omp::Chunk chunk;
    if (!omp::loop_next(thread, chunk)) return false;
    const omp::Loop& loop = thread.work.loop;
    *begin = static_cast<T>(loop.value(chunk.begin));
    // The end of the last chunk is the program's own bound: a step beyond the last iteration might not fit the type.
    *end = static_cast<T>(chunk.end == loop.count ? loop.bound : loop.value(chunk.end));
    return true;
}

// Starts a loop that needs nothing else, and fetches the first chunk. May suspend.
template <class T>
bool start(const omp::Loop& loop, T* begin, T* end) {
    omp::Thread& thread = omp::current();
    omp::loop_start(thread, loop);
    return next(thread, begin, end);
}

// Starts a loop whose construct may have task reductions, `reductions`, or ask for memory. `memory`: null; or *memory is a
// number of bytes on entry, and on return zeroed memory, the same for the whole team until the construct's end. `ncounts` > 0:
// a doacross nest of counts[i] iterations each. May suspend.
void start_extended(omp::Thread& thread, const omp::Loop& loop, const uint64_t* counts, uint32_t ncounts, uintptr_t* reductions,
                    void** memory);

// The same for a construct whose share the thread has entered.
void prepare_extended(omp::Thread& thread, const omp::Loop* loop, const uint64_t* counts, uint32_t ncounts,
                      uintptr_t* reductions, void** memory);

// Starts such a loop and fetches the first chunk; `begin` null: the program deals
// out a static loop itself, and true is returned.
template <class T>
bool start_extended(const omp::Loop& loop, const uint64_t* counts, uint32_t ncounts, uintptr_t* reductions, void** memory,
                    T* begin, T* end) {
    omp::Thread& thread = omp::current();
    start_extended(thread, loop, counts, ncounts, reductions, memory);
    return begin == nullptr || next(thread, begin, end);
}

// In an entry: an address in the code of the program's loop.
#define GOSSAMER_CALLER __builtin_return_address(0)

// The kinds of loop that have entries of their own: name, `sched`, whether the loop has an ordered clause. The entries of those
// `AT_RUN_TIME` take no chunk size.
#define GOSSAMER_LOOP_KINDS(KIND, AT_RUN_TIME)                             \
    KIND(static, abi::sched_static, false)                                 \
    KIND(dynamic, abi::sched_dynamic | abi::sched_monotonic, false)        \
    KIND(guided, abi::sched_guided | abi::sched_monotonic, false)          \
    KIND(nonmonotonic_dynamic, abi::sched_dynamic, false)                  \
    KIND(nonmonotonic_guided, abi::sched_guided, false)                    \
    KIND(ordered_static, abi::sched_static, true)                          \
    KIND(ordered_dynamic, abi::sched_dynamic, true)                        \
    KIND(ordered_guided, abi::sched_guided, true)                          \
    AT_RUN_TIME(runtime, abi::sched_runtime | abi::sched_monotonic, false) \
    AT_RUN_TIME(nonmonotonic_runtime, abi::sched_auto, false)              \
    AT_RUN_TIME(maybe_nonmonotonic_runtime, abi::sched_runtime, false)     \
    AT_RUN_TIME(ordered_runtime, abi::sched_runtime, true)

}  // namespace gossamer::abi
