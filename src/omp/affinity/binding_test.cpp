// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "omp/affinity/binding.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <vector>

namespace gossamer::omp {
namespace {

std::vector<int> places_of(Bind bind, uint32_t threads, uint16_t places, uint16_t parent = 0, uint16_t first = 0) {
    Dealing dealing{bind, threads, parent, first, places};
    std::vector<int> result;
    for (uint32_t num = 0; num < threads; ++num) result.push_back(seat_of(dealing, num).place);
    return result;
}

TEST(Binding, Examples) {
    using V = std::vector<int>;
    EXPECT_EQ(places_of(Bind::primary, 4, 8, 5), (V{5, 5, 5, 5}));
    EXPECT_EQ(places_of(Bind::close, 4, 8), (V{0, 1, 2, 3}));
    EXPECT_EQ(places_of(Bind::close, 4, 8, 6), (V{6, 7, 0, 1}));
    EXPECT_EQ(places_of(Bind::close, 8, 4), (V{0, 0, 1, 1, 2, 2, 3, 3}));
    EXPECT_EQ(places_of(Bind::close, 8, 4, 3), (V{3, 3, 0, 0, 1, 1, 2, 2}));
    EXPECT_EQ(places_of(Bind::spread, 4, 8), (V{0, 2, 4, 6}));
    EXPECT_EQ(places_of(Bind::spread, 4, 8, 3), (V{3, 4, 6, 0}));
    EXPECT_EQ(places_of(Bind::spread, 4, 7), (V{0, 2, 4, 6}));
    EXPECT_EQ(places_of(Bind::spread, 4, 5), (V{0, 2, 3, 4}));
    EXPECT_EQ(places_of(Bind::spread, 4, 2), (V{0, 0, 1, 1}));
    EXPECT_EQ(places_of(Bind::spread, 2, 4, 9, 8), (V{9, 10}));
    EXPECT_EQ(seat_of({Bind::spread, 4, 0, 0, 8}, 3), (Seat{6, 6, 2}));
    EXPECT_EQ(seat_of({Bind::spread, 4, 3, 0, 8}, 0), (Seat{3, 2, 2}));
    EXPECT_EQ(seat_of({Bind::close, 4, 3, 0, 8}, 2), (Seat{5, 0, 8}));
    EXPECT_EQ(seat_of({Bind::spread, 9, 1, 0, 2}, 8), (Seat{0, 0, 1}));
}

// The rules of §10.1.3, one by one, for every small team, partition and parent.
TEST(Binding, TheRules) {
    for (uint16_t first : {0, 5}) {
        for (uint16_t places = 1; places <= 17; ++places) {
            for (uint32_t threads = 1; threads <= 40; ++threads) {
                for (uint16_t parent = first; parent < first + places; ++parent) {
                    for (const Bind bind : {Bind::primary, Bind::close, Bind::spread}) {
                        const Dealing dealing{bind, threads, parent, first, places};
                        std::map<int, uint32_t> load;
                        std::map<int, std::set<int>> partitions;
                        uint32_t covered = 0;
                        int before = parent;
                        for (uint32_t num = 0; num < threads; ++num) {
                            const Seat seat = seat_of(dealing, num);
                            if (num == 0) {
                                ASSERT_EQ(seat.place, parent);
                            }
                            ASSERT_GE(seat.place, first);
                            ASSERT_LT(seat.place, first + places);
                            // Onwards from the parent's place, once round.
                            const int step = (seat.place - before + places) % places;
                            covered += static_cast<uint32_t>(step);
                            before = seat.place;
                            ++load[seat.place];
                            ASSERT_GE(seat.place, seat.partition_first);
                            ASSERT_LT(seat.place, seat.partition_first + seat.partition_count);
                            partitions[seat.partition_first].insert(seat.partition_count);
                            if (bind != Bind::spread) {
                                ASSERT_EQ(seat.partition_first, first);
                                ASSERT_EQ(seat.partition_count, places);
                            }
                        }
                        if (bind == Bind::primary) {
                            ASSERT_EQ(load.size(), 1u);
                            continue;
                        }
                        ASSERT_LT(covered, places);
                        if (threads <= places) {
                            ASSERT_EQ(load.size(), threads);
                        } else {
                            ASSERT_EQ(load.size(), places);
                            for (const auto& [place, count] : load) {
                                ASSERT_GE(count, threads / places);
                                ASSERT_LE(count, (threads + places - 1) / places);
                            }
                        }
                        if (bind == Bind::spread) {
                            // Subpartitions: as many as threads or places, next to each other, sizes differing by one.
                            const uint32_t groups = threads < places ? threads : places;
                            ASSERT_EQ(partitions.size(), groups);
                            int next = first;
                            for (const auto& [begin, sizes] : partitions) {
                                ASSERT_EQ(begin, next);
                                ASSERT_EQ(sizes.size(), 1u);
                                ASSERT_GE(*sizes.begin(), places / static_cast<int>(groups));
                                ASSERT_LE(*sizes.begin(), (places + static_cast<int>(groups) - 1) / static_cast<int>(groups));
                                next += *sizes.begin();
                            }
                            ASSERT_EQ(next, first + places);
                        }
                    }
                }
            }
        }
    }
}

}  // namespace
}  // namespace gossamer::omp
