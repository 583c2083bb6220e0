// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the threads of a team are dealt to places (OpenMP 5.2 §10.1.3). Arithmetic only: nothing here knows threads.
#pragma once

#include <cstdint>

#include "omp/icv/icv.hpp"

namespace gossamer::omp {

// What determines the places of a team's threads. All places lie in the partition.
struct Dealing {
    Bind bind = Bind::no;  // primary, close or spread; any other: the team is not bound
    uint32_t threads = 1;
    uint16_t parent = 0;           // the place of the thread that met the construct
    uint16_t partition_first = 0;  // place-partition-var of that thread: consecutive places of the list
    uint16_t partition_count = 1;

    bool operator==(const Dealing&) const = default;
};

// The place of one thread, and the place-partition-var of its implicit task.
struct Seat {
    uint16_t place = 0;
    uint16_t partition_first = 0;
    uint16_t partition_count = 1;

    bool operator==(const Seat&) const = default;
};

// The seat of thread `num`, which is below dealing.threads. Where the threads cannot be divided evenly among the places, or the
// places among the threads, the first groups have one more.
constexpr Seat seat_of(const Dealing& dealing, uint32_t num);

// --- definitions ---

namespace detail {

// `count` things are dealt out to `groups` in blocks whose sizes differ by at most one: the group of thing number `at`, and the
// first thing of a group.
constexpr uint32_t group_of(uint32_t count, uint32_t groups, uint32_t at) {
    const uint32_t whole = count / groups;
    const uint32_t larger = count % groups * (whole + 1);
    return at < larger ? at / (whole + 1) : (at - larger) / whole + count % groups;
}

constexpr uint32_t first_of_group(uint32_t count, uint32_t groups, uint32_t group) {
    const uint32_t extra = count % groups;
    return group * (count / groups) + (group < extra ? group : extra);
}

}  // namespace detail

constexpr Seat seat_of(const Dealing& dealing, uint32_t num) {
    const uint32_t places = dealing.partition_count;
    const uint32_t own = dealing.parent - dealing.partition_first;
    const auto place = [&](uint32_t at) { return static_cast<uint16_t>(dealing.partition_first + at % places); };
    if (dealing.bind == Bind::primary) return {dealing.parent, dealing.partition_first, dealing.partition_count};
    if (dealing.threads > places) {
        // Blocks of threads, the first of them in the parent's place.
        const uint16_t mine = place(own + detail::group_of(dealing.threads, places, num));
        if (dealing.bind == Bind::spread) return {mine, mine, 1};
        return {mine, dealing.partition_first, dealing.partition_count};
    }
    if (dealing.bind != Bind::spread) return {place(own + num), dealing.partition_first, dealing.partition_count};
    // Blocks of places, one for each thread; the primary thread has the block that holds the parent's place.
    const uint32_t block = (detail::group_of(places, dealing.threads, own) + num) % dealing.threads;
    const uint32_t first = detail::first_of_group(places, dealing.threads, block);
    const uint32_t end = detail::first_of_group(places, dealing.threads, block + 1);
    return {num == 0 ? dealing.parent : place(first), place(first), static_cast<uint16_t>(end - first)};
}

}  // namespace gossamer::omp
