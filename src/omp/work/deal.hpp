// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dealing out the iterations of a loop: what one thread gets next. `next` is the first iteration that no thread has taken.
// Nothing here suspends.
#pragma once

#include <atomic>

#include "base/base.hpp"
#include "omp/work/held.hpp"
#include "omp/work/loop.hpp"

namespace gossamer::omp {

// Takes a chunk of the size that size_of(iterations left) says, which is at least 1 and at most what is left, by one
// compare-and-swap; never moves `next` past the end. False: none left. `order`: relaxed where the counter orders nothing,
// since entering and leaving the share do; acq_rel pairs with itself, so that who finds none left knows who holds some
// (ahead.hpp).
template <std::memory_order order = std::memory_order_relaxed, class SizeOf>
bool take_by_swap(std::atomic<uint64_t>& next, uint64_t count, const SizeOf& size_of, Chunk& chunk) {
    constexpr auto failed = order == std::memory_order_relaxed ? order : std::memory_order_acquire;
    uint64_t begin = next.load(failed);
    uint64_t size = 0;
    do {
        if (begin == count) return false;
        size = size_of(count - begin);
    } while (!next.compare_exchange_weak(begin, begin + size, order, failed));
    chunk = {begin, begin + size};
    return true;
}

// For Partition::dynamic: `most` iterations, or what is left of them, by one RMW. Each thread asks once more than it gets, so
// `next` passes the end by at most `most` a thread; where that might wrap with 2^32 threads, the iterations are taken by
// compare-and-swap instead. `order` as above.
template <std::memory_order order = std::memory_order_relaxed>
bool take_dynamic(std::atomic<uint64_t>& next, const Loop& loop, uint64_t most, Chunk& chunk) {
    const auto size_of = [most](uint64_t left) { return left < most ? left : most; };
    if (GOSSAMER_UNLIKELY((most >> 31) != 0 || (loop.count >> 62) != 0)) {
        return take_by_swap<order>(next, loop.count, size_of, chunk);
    }
    const uint64_t begin = next.fetch_add(most, order);
    if (begin >= loop.count) return false;
    chunk = {begin, begin + size_of(loop.count - begin)};
    return true;
}

// The chunk that begins at an iteration.
inline Chunk chunk_from(const Loop& loop, uint64_t begin) {
    return {begin, loop.count - begin < loop.chunk ? loop.count : begin + loop.chunk};
}

// What a thread took last of a dynamic loop, and how many cycles passed until it came again.
struct Took {
    uint64_t chunks = 0;  // 0: nothing yet
    uint64_t cycles = 0;
};

constexpr uint64_t most_at_once = 8;  // all but one of so many are late if the first turns out to be long

// For Partition::dynamic_ahead: how many chunks a thread takes at once. More than the last time if those together were shorter
// than `short_cycles`, one if they were longer than twice that; and no more than its part of what is left, for which it takes
// half of what was left when it came last (`left` iterations), since the others have taken some meanwhile
// (docs/decisions/0049).
constexpr uint64_t chunks_at_once(const Loop& loop, uint64_t left, uint32_t threads, const Took& took, uint64_t short_cycles) {
    constexpr uint64_t most_in_a_chunk = uint64_t{1} << 24;
    if (loop.chunk > most_in_a_chunk || loop.count > HeldChunks::most) return 1;
    if (took.chunks == 0 || took.cycles >= 2 * short_cycles) return 1;
    uint64_t chunks = took.cycles < short_cycles ? 2 * took.chunks : took.chunks;
    if (chunks > most_at_once) chunks = most_at_once;
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
