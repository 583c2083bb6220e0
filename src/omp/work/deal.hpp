// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dealing out the iterations of a loop: what one thread gets next. `next` is the first iteration that no thread has taken.
// Nothing here suspends.
#pragma once

#include <atomic>

#include "base/base.hpp"
#include "omp/work/loop.hpp"

namespace gossamer::omp {

// Takes a chunk of the size that size_of(iterations left) says, which is at least 1 and at most what is left, by one
// compare-and-swap; never moves `next` past the end. False: none left.
template <class SizeOf>
bool take_by_swap(std::atomic<uint64_t>& next, uint64_t count, const SizeOf& size_of, Chunk& chunk) {
    uint64_t begin = next.load(std::memory_order_relaxed);
    uint64_t size = 0;
    do {
        if (begin == count) return false;
        size = size_of(count - begin);
        // relaxed: the counter orders nothing; entering and leaving the share do.
    } while (!next.compare_exchange_weak(begin, begin + size, std::memory_order_relaxed));
    chunk = {begin, begin + size};
    return true;
}

// For Partition::dynamic: `most` iterations, or what is left of them, by one RMW. Each thread asks once more than it gets, so `next`
// passes the end by at most `most` a thread; where that might wrap with 2^32 threads, the iterations are taken by compare-and-swap
// instead.
inline bool take_dynamic(std::atomic<uint64_t>& next, const Loop& loop, uint64_t most, Chunk& chunk) {
    const auto size_of = [most](uint64_t left) { return left < most ? left : most; };
    if (GOSSAMER_UNLIKELY((most >> 31) != 0 || (loop.count >> 62) != 0)) {
        return take_by_swap(next, loop.count, size_of, chunk);
    }
    const uint64_t begin = next.fetch_add(most, std::memory_order_relaxed);  // relaxed: as above
    if (begin >= loop.count) return false;
    chunk = {begin, begin + size_of(loop.count - begin)};
    return true;
}

// What a thread took last of a dynamic loop, and how many cycles passed until it came again.
struct Took {
    uint64_t chunks = 0;  // 0: nothing yet
    uint64_t cycles = 0;
};

// For Partition::dynamic_ahead: how many chunks a thread takes at once. More than the last time if those together were shorter than
// `short_cycles`, one if they were longer than twice that; and no more than its part of what is left, for which it takes half of
// what was left when it came last (`left` iterations), since the others have taken some meanwhile (docs/decisions/0049).
constexpr uint64_t chunks_at_once(const Loop& loop, uint64_t left, uint32_t threads, const Took& took, uint64_t short_cycles) {
    constexpr uint64_t most = 8;  // all but one of so many are late if the first turns out to be long
    constexpr uint64_t most_iterations = uint64_t{1} << 24;  // of a chunk
    if (took.chunks == 0 || took.cycles >= 2 * short_cycles || loop.chunk > most_iterations) return 1;
    uint64_t chunks = took.cycles < short_cycles ? 2 * took.chunks : took.chunks;
    if (chunks > most) chunks = most;
    while (chunks > 1 && left < 2 * chunks * loop.chunk * threads) chunks /= 2;
    return chunks;
}

// For Partition::guided and guided_simd.
inline bool take_guided(std::atomic<uint64_t>& next, const Loop& loop, uint32_t threads, Chunk& chunk) {
    const auto sizing = loop.partition == Partition::guided ? guided_size : guided_simd_size;
    return take_by_swap(next, loop.count, [&](uint64_t left) { return sizing(left, loop.chunk, threads); }, chunk);
}

// For the static partitions: the round-th chunk, from 0, of thread `num`.
inline bool take_static(const Loop& loop, uint32_t threads, uint32_t num, uint64_t round, Chunk& chunk) {
    switch (loop.partition) {
        case Partition::static_chunked: chunk = static_chunk(loop.count, loop.chunk, threads, num, round); break;
        case Partition::static_greedy: chunk = static_greedy(loop.count, threads, num); break;
        default: chunk = static_block(loop.count, threads, num); break;
    }
    return !chunk.empty() && (round == 0 || loop.partition == Partition::static_chunked);
}

}  // namespace gossamer::omp
