// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "omp/task/spared.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>

namespace gossamer::omp {
namespace {

std::atomic<std::uint32_t> kept{0};

constexpr std::uint64_t theft = 1000;
constexpr std::uint64_t poor = Spared::worth * theft - 1, rich = Spared::worth * theft;

TEST(Spared, NobodyIsSparedBeforeATheft) {
    Spared victim;
    EXPECT_FALSE(victim.is_spared(0, kept));
    EXPECT_FALSE(victim.is_spared(1, kept));
    EXPECT_FALSE(victim.is_spared(std::uint64_t{1} << 60, kept));
}

TEST(Spared, PoorLootDoublesThePauseUpToItsMost) {
    Spared victim;
    std::uint64_t now = 5;
    for (const std::uint64_t pauses : {1, 2, 4, 8, 16, 16, 16}) {
        victim.judge(poor, now, theft, 0, 0, kept);
        EXPECT_TRUE(victim.is_spared(now, kept));
        EXPECT_TRUE(victim.is_spared(now + pauses * theft - 1, kept));
        now += pauses * theft;
        EXPECT_FALSE(victim.is_spared(now, kept));
    }
}

TEST(Spared, RichLootEndsIt) {
    Spared victim;
    victim.judge(poor, 5, theft, 0, 0, kept);
    victim.judge(rich, 6, theft, 0, 0, kept);
    EXPECT_FALSE(victim.is_spared(6, kept));
    victim.judge(poor, 7, theft, 0, 0, kept);
    EXPECT_TRUE(victim.is_spared(7, kept));
    EXPECT_FALSE(victim.is_spared(7 + theft, kept));
}

TEST(Spared, ThievesWhoFindTheSamePoorVictimCountOnce) {
    Spared victim;
    for (std::uint64_t thief = 0; thief < 8; ++thief) victim.judge(poor, 5 + thief, theft, 0, 0, kept);
    EXPECT_FALSE(victim.is_spared(5 + theft, kept));
}

constexpr std::uint64_t moves = 5 * theft;

TEST(Spared, SeveralTasksHaveToBeWorthTheirMovesToo) {
    Spared victim;
    victim.judge(rich + moves - 1, 5, theft, moves, 0, kept);
    EXPECT_TRUE(victim.is_spared(5, kept));
    EXPECT_FALSE(victim.is_spared(5 + theft, kept)) << "it is the theft that takes long";
    victim.judge(rich + moves, 6, theft, moves, 0, kept);
    EXPECT_FALSE(victim.is_spared(6, kept));
}

TEST(Spared, WhereSeveralMostlyAreWorthTheirMovesALootIsJudgedByItsTheft) {
    Spared victim;
    for (std::uint64_t loot = 0; loot < 8; ++loot) victim.judge(100 * theft, loot, theft, moves, 0, kept);
    victim.judge(rich, 10, theft, moves, 0, kept);
    EXPECT_FALSE(victim.is_spared(10, kept));
    victim.judge(poor, 11, theft, moves, 0, kept);
    EXPECT_TRUE(victim.is_spared(11, kept));
    std::uint64_t now = 100 * theft;
    for (std::uint64_t loot = 0; loot < 32; ++loot) victim.judge(rich, now += 100 * theft, theft, moves, 0, kept);
    EXPECT_TRUE(victim.is_spared(now, kept));
}

TEST(Spared, OneGiantDoesNotOutweighTheManyBehindIt) {
    Spared victim;
    victim.judge(std::uint64_t{1} << 60, 5, theft, moves, 0, kept);
    std::uint64_t now = 100 * theft;
    for (std::uint64_t loot = 0; loot < 16; ++loot) victim.judge(rich, now += 100 * theft, theft, moves, 0, kept);
    EXPECT_TRUE(victim.is_spared(now, kept));
}

// Has it left alone since `now`, for `Spared::often` thefts.
void leave_alone(Spared& victim, std::uint64_t& now) {
    for (std::uint64_t pauses = 1; pauses < Spared::often; pauses *= 2) {
        victim.judge(poor, now, theft, 0, 0, kept);
        EXPECT_FALSE(victim.is_left_alone());
        now += pauses * theft;
    }
    victim.judge(poor, now, theft, 0, 0, kept);
    EXPECT_TRUE(victim.is_left_alone());
}

TEST(Spared, TheOwnerHearsOfLongPausesAndOfTheirEnd) {
    Spared victim;
    std::uint64_t now = 5;
    leave_alone(victim, now);
    EXPECT_TRUE(victim.is_spared(now + Spared::often * theft - 1, kept));
    EXPECT_TRUE(victim.is_left_alone());
    EXPECT_FALSE(victim.is_spared(now + Spared::often * theft, kept));
    EXPECT_FALSE(victim.is_left_alone());
    now += Spared::often * theft;
    victim.judge(poor, now, theft, 0, 0, kept);
    EXPECT_TRUE(victim.is_left_alone());
    victim.judge(rich, now + 1, theft, 0, 0, kept);
    EXPECT_FALSE(victim.is_left_alone());
}

TEST(Spared, PausesForTheSakeOfDataGrowLonger) {
    for (const std::uint64_t data : {std::uint64_t{0}, theft}) {
        Spared victim;
        std::uint64_t now = 5, last = 0;
        for (int loot = 0; loot < 20; ++loot) {
            victim.judge(poor, now, theft, 0, data, kept);
            for (last = 0; victim.is_spared(now + last, kept);) last += theft;
            now += last;
        }
        EXPECT_EQ(last, data == 0 ? Spared::most * theft : Spared::most_with_data * (theft + data));
    }
}

TEST(Spared, APauseIsAsLongAsItsDataTakeToMoveUpToItsLongest) {
    for (const std::uint64_t more : {3 * theft, 1000 * theft}) {
        Spared victim;
        victim.judge(poor, 5, theft, 0, more, kept);
        const std::uint64_t pause = std::min(theft + more, Spared::longest * theft);
        EXPECT_TRUE(victim.is_spared(5 + pause - 1, kept));
        EXPECT_FALSE(victim.is_spared(5 + pause, kept));
    }
}

TEST(Spared, WhatTheOwnerHasDoneAloneTellsHowLongATaskTakesIt) {
    Spared victim;
    std::uint64_t now = 5;
    leave_alone(victim, now);
    kept += 16;
    EXPECT_TRUE(victim.has_small_tasks(1));  // not told yet
    EXPECT_FALSE(victim.is_spared(now + Spared::often * theft, kept));
    EXPECT_FALSE(victim.has_small_tasks(Spared::often * theft / 16));
    EXPECT_TRUE(victim.has_small_tasks(Spared::often * theft / 16 + 1));
    for (int loot = 0; loot < 1000; ++loot) victim.judge(rich, now, theft, 0, 0, kept);
    EXPECT_TRUE(victim.has_small_tasks(Spared::often * theft / 32)) << "it is still believed";
}

TEST(Spared, TooFewTasksAndALateLookTellNothing) {
    for (const bool late : {false, true}) {
        Spared victim;
        std::uint64_t now = 5;
        leave_alone(victim, now);
        kept += late ? 16 : 7;
        EXPECT_FALSE(victim.is_spared(now + (late ? 2 : 1) * Spared::often * theft, kept));
        EXPECT_TRUE(victim.has_small_tasks(1)) << late;
    }
}

}  // namespace
}  // namespace gossamer::omp
