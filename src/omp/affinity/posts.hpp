// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the threads of a level-1 team that is bound to places run, and which thread starts them. The primary thread starts the
// threads that run at workers' homes, or they start each other (team/fork_tree.hpp). Each other thread is in the *share* of a
// thread at a home in its place, or of the primary thread, which starts it and sees to its end (team/member.hpp). Arithmetic
// only: a home is the number of its carrier.
#pragma once

#include <cstdint>

#include "omp/affinity/binding.hpp"

namespace gossamer::omp {

struct Post {
    uint32_t home = 0;     // the carrier at whose home the thread runs; 0: at none
    uint32_t at = 0;       // at a home: its place among the numbers at homes
    uint32_t starter = 0;  // at no home: the number in whose share the thread is; 0: the primary thread's
    uint32_t share = 0;    // how many threads are in this thread's share
    uint32_t first = 0;    // the first of them; 0: there is none
    uint32_t next = 0;     // the next thread in the share that this thread is in; 0: there is none
};

// The workers' homes 1 … carriers-1 by zones: homes[first[zone] … first[zone + 1] - 1]. A place's zone is its number plus one.
struct ZoneHomes {
    uint32_t* first = nullptr;  // zones + 2 elements
    uint32_t* homes = nullptr;  // as many elements as carriers
};

// Fills in `sorted`, whose memory is zero.
void sort_homes(const ZoneHomes& sorted, uint32_t zones, uint32_t carriers, uint32_t (*zone_of)(uint32_t carrier));

// Posts the numbers of a team: first at the homes below `homes` that lie in their place; then, for places without any, at the
// homes that are left. `posts` has dealing.threads elements; so has `at_home`, of which [1, result) become the numbers at
// homes; `taken` has `homes` elements, all false.
uint32_t post_team(const Dealing& dealing, const ZoneHomes& sorted, uint32_t homes, Post* posts, uint32_t* at_home,
                   bool* taken);

// Consecutive numbers with the same place.
struct Block {
    uint32_t begin, end, zone;
};

// Calls see(block) for each block of a team, in order.
template <class See>
void for_each_block(const Dealing& dealing, const See& see) {
    Block block{0, 1, seat_of(dealing, 0).place + 1u};
    for (; block.end < dealing.threads; ++block.end) {
        const uint32_t zone = seat_of(dealing, block.end).place + 1u;
        if (zone == block.zone) continue;
        see(block);
        block = {block.end, block.end, zone};
    }
    see(block);
}

}  // namespace gossamer::omp
