// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "omp/affinity/posts.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

namespace gossamer::omp {
namespace {

// A machine whose carriers are dealt to its places in turn, as far as these have processors.
struct Machine {
    Machine(uint32_t place_count, uint32_t carrier_count) : places(place_count), carriers(carrier_count) {
        first.resize(places + 2);
        homes.resize(carriers);
        static uint32_t count;
        count = places;
        zone_of = [](uint32_t carrier) { return carrier % count + 1; };
        sort_homes(sorted(), places, carriers, zone_of);
    }

    ZoneHomes sorted() { return {first.data(), homes.data()}; }

    uint32_t places, carriers;
    std::vector<uint32_t> first, homes;
    uint32_t (*zone_of)(uint32_t carrier);
};

struct Crew {
    Crew(const Dealing& dealing, Machine& machine, uint32_t homes) : posts(dealing.threads), at_home(dealing.threads) {
        const std::unique_ptr<bool[]> taken(new bool[homes]());
        count = post_team(dealing, machine.sorted(), homes, posts.data(), at_home.data(), taken.get());
        at_home.resize(count);
    }

    std::vector<uint32_t> share(uint32_t num) const {
        std::vector<uint32_t> numbers;
        for (uint32_t each = posts[num].first; each != 0; each = posts[each].next) numbers.push_back(each);
        return numbers;
    }

    std::vector<Post> posts;
    std::vector<uint32_t> at_home;
    uint32_t count = 0;
};

TEST(Posts, HomesAreSortedByZones) {
    Machine machine(3, 8);
    EXPECT_EQ(machine.first, (std::vector<uint32_t>{0, 0, 2, 5, 7}));
    EXPECT_EQ(machine.homes[0], 3u);
    EXPECT_EQ(machine.homes[1], 6u);
    EXPECT_EQ(machine.homes[2], 1u);
}

TEST(Posts, OneThreadACoreNeedsNoShares) {
    Machine machine(56, 56);
    Crew crew({Bind::close, 56, 0, 0, 56}, machine, 56);
    EXPECT_EQ(crew.count, 56u);
    for (uint32_t num = 1; num < 56; ++num) EXPECT_EQ(crew.posts[num].home, num);
    for (const Post& post : crew.posts) EXPECT_EQ(post.share, 0u);
}

TEST(Posts, ThoseInASocketAreDealtToItsHomes) {
    Machine machine(2, 8);  // two sockets of four
    Crew crew({Bind::close, 16, 0, 0, 2}, machine, 8);
    // The primary thread and the homes 2, 4 and 6 are in the first one, 1, 3, 5 and 7 in the second.
    EXPECT_EQ(crew.at_home, (std::vector<uint32_t>{0, 1, 2, 3, 8, 9, 10, 11}));
    EXPECT_EQ(crew.posts[2].home, 4u);
    EXPECT_EQ(crew.posts[8].home, 1u);
    EXPECT_EQ(crew.share(0), (std::vector<uint32_t>{4}));
    EXPECT_EQ(crew.share(3), (std::vector<uint32_t>{7}));
    EXPECT_EQ(crew.share(9), (std::vector<uint32_t>{13}));
}

TEST(Posts, HomesOfOtherPlacesHelpWhereThereAreNone) {
    Machine machine(8, 4);  // fewer carriers than places: their homes are in places 1 to 3
    // Four threads in places 4 to 7, where nobody is at home.
    Crew crew({Bind::close, 4, 4, 0, 8}, machine, 4);
    EXPECT_EQ(crew.at_home, (std::vector<uint32_t>{0, 1, 2, 3}));
    EXPECT_EQ(crew.share(0), (std::vector<uint32_t>{}));
    // Eight: three of them are at home in their own places, and the primary thread starts the others.
    Crew wide({Bind::close, 8, 4, 0, 8}, machine, 4);
    EXPECT_EQ(wide.at_home, (std::vector<uint32_t>{0, 5, 6, 7}));
    EXPECT_EQ(wide.share(0), (std::vector<uint32_t>{4, 3, 2, 1}));
}

// The rules, for many machines and teams.
TEST(Posts, EveryThreadIsStartedOnceAndInItsPlaceIfAnybodyIsThere) {
    for (uint32_t places : {1u, 2u, 3u, 8u, 56u}) {
        for (uint32_t carriers : {1u, 2u, 3u, 8u, 56u, 112u}) {
            Machine machine(places, carriers);
            for (uint32_t threads : {2u, 3u, 7u, 8u, 9u, 56u, 57u, 200u}) {
                for (Bind bind : {Bind::primary, Bind::close, Bind::spread}) {
                    for (uint16_t parent : {0u, places / 2, places - 1}) {
                        for (uint32_t homes : {1u, carriers}) {
                            const Dealing dealing{bind, threads, parent, 0, static_cast<uint16_t>(places)};
                            const Crew crew(dealing, machine, homes);
                            SCOPED_TRACE(std::to_string(places) + " places, " + std::to_string(homes) + " homes, " +
                                         std::to_string(threads) + " threads");
                            const auto place = [&](uint32_t num) { return seat_of(dealing, num).place; };
                            std::vector<uint32_t> started(threads);
                            std::vector<uint32_t> used(homes);
                            for (uint32_t at = 1; at < crew.count; ++at) {
                                ++started[crew.at_home[at]];
                                ++used[crew.posts[crew.at_home[at]].home];
                            }
                            for (uint32_t num = 0; num < threads; ++num) {
                                const std::vector<uint32_t> share = crew.share(num);
                                ASSERT_EQ(share.size(), crew.posts[num].share);
                                ASSERT_TRUE(share.empty() || num == 0 || crew.posts[num].home != 0);
                                for (uint32_t each : share) {
                                    ++started[each];
                                    ASSERT_EQ(crew.posts[each].starter, num);
                                    ASSERT_EQ(crew.posts[each].home, 0u);
                                }
                            }
                            ASSERT_TRUE(std::all_of(started.begin() + 1, started.end(), [](uint32_t n) { return n == 1; }));
                            ASSERT_TRUE(std::all_of(used.begin(), used.end(), [](uint32_t n) { return n <= 1; }));
                            ASSERT_EQ(used[0], 0u);
                            // Where one of them is at home, or the primary thread is, nobody from elsewhere starts the others,
                            // and none starts two more than another.
                            for_each_block(dealing, [&](const Block& block) {
                                uint32_t least = threads, most = 0;
                                for (uint32_t num = block.begin; num < block.end; ++num) {
                                    if (num != 0 && crew.posts[num].home == 0) continue;
                                    uint32_t here = 0;
                                    for (uint32_t each : crew.share(num)) here += place(each) == place(num);
                                    least = std::min(least, here);
                                    most = std::max(most, here);
                                    if (num != 0) {
                                        ASSERT_EQ(here, crew.posts[num].share);
                                    }
                                }
                                ASSERT_TRUE(most == 0 || most - least <= 1);
                                for (uint32_t num = block.begin; num < block.end && least != threads; ++num) {
                                    if (num != 0 && crew.posts[num].home == 0) {
                                        ASSERT_EQ(place(crew.posts[num].starter), place(num));
                                    }
                                }
                            });
                        }
                    }
                }
            }
        }
    }
}

}  // namespace
}  // namespace gossamer::omp
