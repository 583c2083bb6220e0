// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "omp/affinity/posts.hpp"

namespace gossamer::omp {

namespace {

// Deals the numbers at no home to the numbers of their block that are at a home, in turn, number 0 included if it is in the
// block. In a block without any, number 0 starts them.
void deal_shares(const Dealing& dealing, Post* posts) {
    for_each_block(dealing, [&](const Block& block) {
        uint32_t starters = block.begin;  // the end of the block's starters, which are its first numbers
        while (starters < block.end && (starters == 0 || posts[starters].home != 0)) ++starters;
        const uint32_t count = starters - block.begin;
        for (uint32_t num = block.end; num-- > starters;) {
            const uint32_t starter = count != 0 ? block.begin + num % count : 0;
            posts[num].starter = starter;
            posts[num].next = posts[starter].first;
            posts[starter].first = num;
            ++posts[starter].share;
        }
    });
}

}  // namespace

void sort_homes(const ZoneHomes& sorted, uint32_t zones, uint32_t carriers, uint32_t (*zone_of)(uint32_t carrier)) {
    // Each zone's homes are counted one index further on, so that filling them in moves
    // each index to the next zone's beginning.
    for (uint32_t home = 1; home < carriers; ++home) ++sorted.first[zone_of(home) + 1];
    for (uint32_t zone = 1; zone <= zones + 1; ++zone) sorted.first[zone] += sorted.first[zone - 1];
    for (uint32_t home = 1; home < carriers; ++home) sorted.homes[sorted.first[zone_of(home)]++] = home;
    for (uint32_t zone = zones + 1; zone > 0; --zone) sorted.first[zone] = sorted.first[zone - 1];
    sorted.first[0] = 0;
}

uint32_t post_team(const Dealing& dealing, const ZoneHomes& sorted, uint32_t homes, Post* posts, uint32_t* at_home,
                   bool* taken) {
    uint32_t count = 1;
    const auto post = [&](uint32_t num, uint32_t home) {
        taken[home] = true;
        posts[num].home = home;
        posts[num].at = count;
        at_home[count++] = num;
    };
    for (uint32_t num = 0; num < dealing.threads; ++num) posts[num] = {};
    for_each_block(dealing, [&](const Block& block) {
        uint32_t num = block.begin != 0 ? block.begin : 1;
        for (uint32_t at = sorted.first[block.zone]; at < sorted.first[block.zone + 1] && num < block.end; ++at) {
            if (sorted.homes[at] < homes) post(num++, sorted.homes[at]);
        }
    });
    uint32_t left = 1;
    for_each_block(dealing, [&](const Block& block) {
        if (block.begin == 0 || posts[block.begin].home != 0) return;
        for (uint32_t num = block.begin; num < block.end; ++num) {
            while (left < homes && taken[left]) ++left;
            if (left < homes) post(num, left);
        }
    });
    deal_shares(dealing, posts);
    return count;
}

}  // namespace gossamer::omp
