// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Who runs and who starts the threads of a level-1 team that is bound to places. Those that run at a worker's home are started
// by the primary thread; each of the others is in the *share* of one that is at a home in its place, or of the primary thread,
// which starts it and sees to it (team/member.hpp). Arithmetic only: a home is the number of its carrier.
#pragma once

#include <cstdint>

#include "omp/affinity/binding.hpp"

namespace gossamer::omp {

struct Post {
    uint32_t home = 0;     // the carrier at whose home it runs; 0: at none
    uint32_t starter = 0;  // in whose share it is, if it runs at none: number 0, or one that runs at a home
    uint32_t share = 0;    // how many are in the share of this one,
    uint32_t first = 0;    // the first of them
    uint32_t next = 0;     // and the next in the share that it is in itself; 0: there is none
};

// The workers' homes 1 … carriers-1 by zones: homes[first[zone] … first[zone + 1] - 1]. A place's zone is its number plus one.
struct ZoneHomes {
    uint32_t* first = nullptr;  // zones + 2 of them
    uint32_t* homes = nullptr;  // carriers of them
};

// Fills `sorted`, whose memory is zero.
void sort_homes(const ZoneHomes& sorted, uint32_t zones, uint32_t carriers, uint32_t (*zone_of)(uint32_t carrier));

// Posts the numbers of a team: at the homes below `homes` that are in their place, then, where a place has none, at those that
// are left. `posts`: dealing.threads of them; `at_home`: as many, of which [1, result) become the numbers at homes; `taken`:
// `homes` times false.
uint32_t post_team(const Dealing& dealing, const ZoneHomes& sorted, uint32_t homes, Post* posts, uint32_t* at_home,
                   bool* taken);

// Numbers with one place, which follow each other.
struct Block {
    uint32_t begin, end, zone;
};

// Calls see(block) for each, in order.
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
