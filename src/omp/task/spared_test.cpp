// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "omp/task/spared.hpp"

#include <gtest/gtest.h>

namespace gossamer::omp {
namespace {

constexpr std::uint64_t theft = 1000;
constexpr std::uint64_t poor = Spared::worth * theft - 1, rich = Spared::worth * theft;

TEST(Spared, NobodyIsSparedBeforeATheft) {
    const Spared victim;
    EXPECT_FALSE(victim.at(0));
    EXPECT_FALSE(victim.at(1));
    EXPECT_FALSE(victim.at(std::uint64_t{1} << 60));
}

TEST(Spared, PoorLootDoublesThePauseUpToItsMost) {
    Spared victim;
    std::uint64_t now = 5;
    for (const std::uint64_t pauses : {1, 2, 4, 8, 16, 16, 16}) {
        victim.judge(poor, now, theft, 0);
        EXPECT_TRUE(victim.at(now));
        EXPECT_TRUE(victim.at(now + pauses * theft - 1));
        now += pauses * theft;
        EXPECT_FALSE(victim.at(now));
    }
}

TEST(Spared, RichLootEndsIt) {
    Spared victim;
    victim.judge(poor, 5, theft, 0);
    victim.judge(rich, 6, theft, 0);
    EXPECT_FALSE(victim.at(6));
    victim.judge(poor, 7, theft, 0);
    EXPECT_TRUE(victim.at(7));
    EXPECT_FALSE(victim.at(7 + theft));
}

TEST(Spared, ThievesWhoFindTheSamePoorVictimCountOnce) {
    Spared victim;
    for (std::uint64_t thief = 0; thief < 8; ++thief) victim.judge(poor, 5 + thief, theft, 0);
    EXPECT_FALSE(victim.at(5 + theft));
}

constexpr std::uint64_t moves = 5 * theft;

TEST(Spared, SeveralTasksHaveToBeWorthTheirMovesToo) {
    Spared victim;
    victim.judge(rich + moves - 1, 5, theft, moves);
    EXPECT_TRUE(victim.at(5));
    victim.judge(rich + moves, 6, theft, moves);
    EXPECT_FALSE(victim.at(6));
}

TEST(Spared, WhereSeveralMostlyAreWorthTheirMovesALootIsJudgedByItsTheft) {
    Spared victim;
    for (std::uint64_t loot = 0; loot < 8; ++loot) victim.judge(100 * theft, loot, theft, moves);
    victim.judge(rich, 10, theft, moves);
    EXPECT_FALSE(victim.at(10));
    victim.judge(poor, 11, theft, moves);
    EXPECT_TRUE(victim.at(11));
    std::uint64_t now = 100 * theft;
    for (std::uint64_t loot = 0; loot < 32; ++loot) victim.judge(rich, now += 100 * theft, theft, moves);
    EXPECT_TRUE(victim.at(now));
}

TEST(Spared, OneGiantDoesNotOutweighTheManyBehindIt) {
    Spared victim;
    victim.judge(std::uint64_t{1} << 60, 5, theft, moves);
    std::uint64_t now = 100 * theft;
    for (std::uint64_t loot = 0; loot < 16; ++loot) victim.judge(rich, now += 100 * theft, theft, moves);
    EXPECT_TRUE(victim.at(now));
}

}  // namespace
}  // namespace gossamer::omp
