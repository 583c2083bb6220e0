// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Static schedules in the kmpc ABI's form: a thread's first chunk as inclusive bounds in the program's own type, and
// the stride to its next chunk. Arithmetic only (static_bounds_test.cpp).
#pragma once

#include <type_traits>

#include "abi/kmpc/loop_schedule.hpp"
#include "omp/omp.hpp"

namespace gossamer::abi {

template <class T>
struct StaticBounds {
    using Step = std::make_signed_t<T>;

    T lower;
    T upper;
    Step stride;
    bool last;  // the thread has the loop's last iteration, in this chunk or in a later one

    constexpr bool operator==(const StaticBounds&) const = default;
};

// The value of iteration `at`.
template <class T>
constexpr T value_at(T lower, std::make_signed_t<T> step, uint64_t at) {
    return static_cast<T>(static_cast<uint64_t>(lower) + at * static_cast<uint64_t>(static_cast<int64_t>(step)));
}

// Empty bounds for a loop up to `upper`: lower is one step beyond upper, and fits the program's type.
template <class T>
constexpr StaticBounds<T> no_iterations(T upper, std::make_signed_t<T> step, std::make_signed_t<T> stride) {
    T beyond{};
    if (!__builtin_add_overflow(upper, step, &beyond)) return {beyond, upper, stride, false};
    return {upper, static_cast<T>(upper - step), stride, false};
}

// The bounds of thread `num` of `threads` in the loop lower, lower + step … upper (inclusive). `schedule` is one of the static
// ScheduleNumbers; any other counts as schedule_static. A loop without iterations is returned as it is.
template <class T>
constexpr StaticBounds<T> static_bounds(int32_t schedule, T lower, T upper, std::make_signed_t<T> step, int64_t chunk,
                                        uint32_t threads, uint32_t num) {
    using Step = std::make_signed_t<T>;
    const uint64_t count = omp::iterations_inclusive<T>(lower, upper, step);
    if (count == 0) return {lower, upper, step, false};
    uint64_t size = chunk > 0 ? static_cast<uint64_t>(chunk) : 1;
    omp::Chunk mine;
    uint64_t next = count;  // first iteration of the thread's second chunk, or the end
    bool last = false;
    switch (schedule) {
        case schedule_static_rounded: size = omp::rounded_block(count, threads, size); [[fallthrough]];
        case schedule_static_chunked:
        case schedule_distribute_chunked: {
            mine = omp::static_chunk(count, size, threads, num, 0);
            const omp::Chunk second = omp::static_chunk(count, size, threads, num, 1);
            if (!second.empty()) next = second.begin;
            last = (count - 1) / size % threads == num;
            break;
        }
        case schedule_static_greedy:
            mine = omp::static_greedy(count, threads, num);
            last = !mine.empty() && mine.end == count;
            break;
        default:
            mine = omp::static_block(count, threads, num);
            last = !mine.empty() && mine.end == count;
            break;
    }
    if (mine.empty()) return no_iterations(value_at(lower, step, count - 1), step, static_cast<Step>(count));
    return {value_at(lower, step, mine.begin), value_at(lower, step, mine.end - 1),
            static_cast<Step>(value_at(T{0}, step, next - mine.begin)), last};
}

// The same for the commonest loop, in a fraction of the instructions: schedule_static, steps of one, a 32-bit type, and at
// least one iteration for this thread. False: it is another kind of loop, and nothing is written.
template <class T>
constexpr bool static_unit_block(T lower, T upper, std::make_signed_t<T> step, uint32_t threads, uint32_t num,
                                 StaticBounds<T>& out) {
    if constexpr (sizeof(T) != sizeof(uint32_t)) return false;
    if (step != 1 || lower > upper) return false;
    const uint32_t beyond_first = static_cast<uint32_t>(upper) - static_cast<uint32_t>(lower);
    if (beyond_first == UINT32_MAX) return false;
    const uint32_t count = beyond_first + 1;
    uint32_t begin = num, size = 1;
    if (count != threads) {
        size = count / threads;
        const uint32_t extra = count - size * threads;  // the first so many threads have one more
        begin = num * size + (num < extra ? num : extra);
        size += num < extra ? 1 : 0;
        if (size == 0) return false;
    }
    const uint32_t first = static_cast<uint32_t>(lower) + begin;
    out = {static_cast<T>(first), static_cast<T>(first + (size - 1)), static_cast<std::make_signed_t<T>>(count - begin),
           begin + size == count};
    return true;
}

// The same for as many iterations as threads, as in many nested regions: one each.
template <class T>
constexpr bool static_one_each(T lower, T upper, std::make_signed_t<T> step, uint32_t threads, uint32_t num,
                               StaticBounds<T>& out) {
    if constexpr (sizeof(T) != sizeof(uint32_t)) return false;
    const uint32_t beyond_first = static_cast<uint32_t>(upper) - static_cast<uint32_t>(lower);
    if (step != 1 || lower > upper || beyond_first != threads - 1) return false;
    const T mine = static_cast<T>(static_cast<uint32_t>(lower) + num);
    out = {mine, mine, static_cast<std::make_signed_t<T>>(threads - num), num == beyond_first};
    return true;
}

}  // namespace gossamer::abi
