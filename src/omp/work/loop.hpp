// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A worksharing loop as numbers (OpenMP 5.2 §11.5): any of the ABIs' 32- or 64-bit, signed or unsigned, up- or
// down-counting loops is normalised to iterations 0 … count-1, and every schedule is arithmetic on that space.
// Nothing here knows threads or teams, so it is tested alone (loop_test.cpp).
#pragma once

#include <cstdint>

namespace gossamer::omp {

// How the iterations are dealt out: a schedule (icv/global_icvs.hpp) after runtime and auto have been decided.
enum class Partition : uint8_t {
    static_block,      // one block a thread, sizes differing by at most one
    static_chunked,    // chunks dealt out in turn by thread number
    static_greedy,     // as static_block, blocks of ceil(count / threads): the last threads may get less or none
    dynamic,           // chunks of one size, first come first served
    dynamic_ahead,     // the same, but a thread may take a few short ones at once
    guided,            // chunks that shrink to `chunk`, first come first served
    guided_simd,       // guided with sizes that are multiples of `chunk`
    dynamic_stealing,  // dynamic and guided out of order: each thread has a portion, and steals when that is empty.
    guided_stealing,   // Only loop_start chooses these two
};

// Whether a thread's chunks follow from its number alone, so that the team needs no shared counter.
constexpr bool is_static(Partition partition) { return partition <= Partition::static_greedy; }

// Iterations [begin, end) of the normalised space; empty when begin == end.
struct Chunk {
    uint64_t begin = 0;
    uint64_t end = 0;

    constexpr bool empty() const { return begin == end; }
    constexpr uint64_t size() const { return end - begin; }
    constexpr bool operator==(const Chunk&) const = default;
};

// The iteration space and how it is dealt out, as one thread sees it. All threads of a team build equal ones.
struct Loop {
    uint64_t base = 0;   // value of the loop variable at iteration 0, modulo 2^64
    uint64_t step = 1;   // its increment, modulo 2^64: a negative one wraps
    uint64_t bound = 0;  // the program's exclusive bound, for ABIs that have one; modulo 2^64
    uint64_t count = 0;  // number of iterations
    uint64_t chunk = 1;  // chunk size of static_chunked, dynamic and guided; at least 1
    Partition partition = Partition::static_block;
    bool monotonic = true;  // a thread's chunks must come in increasing order (§11.5.3)
    bool merged = true;     // a team of one may be given all iterations as one chunk
    bool ordered = false;   // has an ordered clause without parameter (§15.10): ordered regions run in iteration order
    uint8_t site = 0;       // dynamic_ahead: which loop of the program it is (uneven.hpp)

    // The loop variable at an iteration, to be cut to the width of the program's type.
    constexpr uint64_t value(uint64_t iteration) const { return base + iteration * step; }
};

// Number of iterations of `for (i = lower; i < upper; i += step)` (step > 0) or `i > upper` (step < 0), in the
// arithmetic of T: exact for every pair of bounds. step 0 gives 0.
template <class T>
constexpr uint64_t iterations_exclusive(T lower, T upper, int64_t step);

// The same for an inclusive bound. The one loop with 2^64 iterations counts as 2^64 - 1.
template <class T>
constexpr uint64_t iterations_inclusive(T lower, T upper, int64_t step);

// A thread's only chunk under static_block or static_greedy.
constexpr Chunk static_block(uint64_t count, uint32_t threads, uint32_t num);
constexpr Chunk static_greedy(uint64_t count, uint32_t threads, uint32_t num);

// The round-th chunk (from 0) of thread `num` under static_chunked; empty when there is none.
constexpr Chunk static_chunk(uint64_t count, uint64_t chunk, uint32_t threads, uint32_t num, uint64_t round);

// Size of the next chunk of guided when `remaining` iterations are left: remaining / threads, rounded up, but at least
// `chunk` and at most `remaining`.
constexpr uint64_t guided_size(uint64_t remaining, uint64_t chunk, uint32_t threads);

// The same rounded up to a multiple of `chunk`, but at most `remaining`.
constexpr uint64_t guided_simd_size(uint64_t remaining, uint64_t chunk, uint32_t threads);

// A block of count / threads iterations, both times rounded up: to a whole number, then to a multiple of `width`. If
// that multiple does not fit, a number that no loop has more iterations than. 0 iterations count as one.
constexpr uint64_t rounded_block(uint64_t count, uint32_t threads, uint64_t width);

// --- definitions ---

// a / b, for b != 0. Most loops are short, and processors divide 32-bit numbers up to three times as fast.
constexpr uint64_t quotient(uint64_t a, uint64_t b) {
    return ((a | b) >> 32) == 0 ? static_cast<uint32_t>(a) / static_cast<uint32_t>(b) : a / b;
}

// The same rounded up.
constexpr uint64_t quotient_up(uint64_t a, uint64_t b) {
    const uint64_t whole = quotient(a, b);
    return whole + (whole * b != a ? 1 : 0);
}

// Iterations of a loop whose bounds lie `distance` apart, more than 0 where the bound is exclusive. Most loops go by
// single steps, and a division costs more than the rest of a static loop's start.
constexpr uint64_t steps_between(uint64_t distance, uint64_t step, bool inclusive) {
    if (!inclusive) --distance;
    const uint64_t whole = step == 1 ? distance : quotient(distance, step);
    return whole == UINT64_MAX ? whole : whole + 1;
}

template <class T>
constexpr uint64_t count_iterations(T lower, T upper, int64_t step, bool inclusive) {
    if (step == 0 || (!inclusive && lower == upper)) return 0;
    if (step > 0) {
        if (lower > upper) return 0;
        return steps_between(static_cast<uint64_t>(upper) - static_cast<uint64_t>(lower), static_cast<uint64_t>(step),
                             inclusive);
    }
    if (lower < upper) return 0;
    return steps_between(static_cast<uint64_t>(lower) - static_cast<uint64_t>(upper), -static_cast<uint64_t>(step), inclusive);
}

template <class T>
constexpr uint64_t iterations_exclusive(T lower, T upper, int64_t step) {
    return count_iterations(lower, upper, step, false);
}

template <class T>
constexpr uint64_t iterations_inclusive(T lower, T upper, int64_t step) {
    return count_iterations(lower, upper, step, true);
}

constexpr Chunk static_block(uint64_t count, uint32_t threads, uint32_t num) {
    const uint64_t whole = quotient(count, threads);
    const uint64_t extra = count - whole * threads;  // the first `extra` threads take one more
    const uint64_t begin = num * whole + (num < extra ? num : extra);
    return {begin, begin + whole + (num < extra ? 1 : 0)};
}

constexpr Chunk static_greedy(uint64_t count, uint32_t threads, uint32_t num) {
    const uint64_t size = quotient_up(count, threads);
    if (size == 0 || num > quotient(count - 1, size)) return {count, count};
    const uint64_t begin = num * size;
    return {begin, count - begin < size ? count : begin + size};
}

constexpr Chunk static_chunk(uint64_t count, uint64_t chunk, uint32_t threads, uint32_t num, uint64_t round) {
    if (count == 0) return {0, 0};
    const uint64_t last = quotient(count - 1, chunk);  // number of the last chunk
    if (num > last || round > quotient(last - num, threads)) return {count, count};
    const uint64_t begin = (round * threads + num) * chunk;
    return {begin, count - begin < chunk ? count : begin + chunk};
}

constexpr uint64_t guided_size(uint64_t remaining, uint64_t chunk, uint32_t threads) {
    uint64_t size = quotient_up(remaining, threads);
    if (size < chunk) size = chunk;
    return size < remaining ? size : remaining;
}

constexpr uint64_t guided_simd_size(uint64_t remaining, uint64_t chunk, uint32_t threads) {
    const uint64_t size = guided_size(remaining, chunk, threads);
    const uint64_t over = size % chunk;
    if (over == 0) return size;
    const uint64_t missing = chunk - over;
    return remaining - size < missing ? remaining : size + missing;
}

constexpr uint64_t rounded_block(uint64_t count, uint32_t threads, uint64_t width) {
    const uint64_t below = count == 0 ? 0 : (count - 1) / threads / width * width;
    return width > UINT64_MAX - below ? UINT64_MAX : below + width;
}

}  // namespace gossamer::omp
