// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fiber/thief.hpp"

#include <gtest/gtest.h>

#include "fiber/carrier.hpp"

namespace gossamer::fiber {
namespace {

const ThiefTimes times(1);  // a cycle a nanosecond
constexpr std::uint32_t victims = 16;

// A thief that has taken a piece of `cycles` with so many switches, and looks again.
void take_piece(Thief& thief, std::uint64_t& now, std::uint64_t cycles, std::uint64_t switches = 2) {
    thief.take(now, 1000);
    now += cycles;
    thief.judge(now, 1000 + switches, times);
}

TEST(Thief, IsKeenAfterALongPieceAndWaryAfterTwoShortOnes) {
    Thief thief;
    std::uint64_t now = 1'000'000;
    EXPECT_FALSE(thief.is_keen()) << "at first";
    take_piece(thief, now, times.worth - 1);
    EXPECT_FALSE(thief.is_keen());
    take_piece(thief, now, times.worth);
    EXPECT_TRUE(thief.is_keen());
    take_piece(thief, now, 100);
    EXPECT_TRUE(thief.is_keen()) << "one may be an exception";
    take_piece(thief, now, 100);
    EXPECT_FALSE(thief.is_keen());
}

TEST(Thief, JudgesAPieceOnce) {
    Thief thief;
    std::uint64_t now = 1'000'000;
    take_piece(thief, now, times.worth);
    for (int look = 0; look < 10; ++look) thief.judge(now += 10, 1000, times);
    EXPECT_TRUE(thief.is_keen());
}

// Half a team that meets at a barrier: many switches, and little between them.
TEST(Thief, CountsThePiecesThatWait) {
    Thief thief;
    std::uint64_t now = 1'000'000;
    take_piece(thief, now, 14 * times.worth, 16);
    EXPECT_FALSE(thief.is_keen());
    take_piece(thief, now, 15 * times.worth, 16);
    EXPECT_TRUE(thief.is_keen());
}

TEST(Thief, DoesNotTakeSpinningForWork) {
    Thief thief;
    std::uint64_t now = 1'000'000;
    thief.take(now, 0);
    thief.spin();
    thief.judge(now + 100 * times.worth, 2, times);
    EXPECT_FALSE(thief.is_keen());
}

TEST(Thief, WatchesOneCarrierForAWhile) {
    const Carrier victim;
    Thief thief;
    std::uint64_t now = 1'000'000;
    ASSERT_TRUE(thief.look_is_due(now, victims, times));
    thief.watch(victim, 7, now);
    EXPECT_EQ(thief.watched(), &victim);
    now += times.watch - 1;
    EXPECT_FALSE(thief.look_is_due(now, victims, times));
    EXPECT_FALSE(thief.has_watched(now, times));
    now += 1;
    EXPECT_TRUE(thief.look_is_due(now, victims, times));
    EXPECT_TRUE(thief.has_watched(now, times));
    const Thief::Seen seen = thief.end_watch(9, now);
    EXPECT_EQ(seen.decisions, 2u);
    EXPECT_EQ(seen.cycles, times.watch);
    EXPECT_EQ(thief.watched(), nullptr);
    EXPECT_FALSE(thief.look_is_due(now + times.between_watches - 1, victims, times));
    EXPECT_TRUE(thief.look_is_due(now + times.between_watches, victims, times));
}

TEST(Thief, CountsDecisionsBeyondTheLargestNumber) {
    const Carrier victim;
    Thief thief;
    thief.watch(victim, 0xffffffff, 0);
    EXPECT_EQ(thief.end_watch(1, times.watch).decisions, 2u);
}

TEST(Thief, PausesLongerWhileItFindsNothing) {
    const Carrier victim;
    Thief thief;
    std::uint64_t now = 1'000'000;
    const auto pause = [&] {
        std::uint64_t cycles = 0;
        while (!thief.look_is_due(now + cycles, victims, times)) ++cycles;
        return cycles;
    };
    for (int watch = 0; watch < 100; ++watch) {
        thief.watch(victim, 0, now);
        now += times.watch;
        thief.end_watch(1, now);
        if (watch == 0) {
            EXPECT_EQ(pause(), times.between_watches);
        }
    }
    EXPECT_EQ(pause(), 4 * times.between_watches);
    thief.take(now, 0);
    thief.judge(now, 2, times);
    thief.watch(victim, 0, now);
    now += times.watch;
    thief.end_watch(1, now);
    EXPECT_EQ(pause(), times.between_watches) << "it has found something";
}

TEST(Thief, LooksAtManyVictimsLessOften) {
    Thief thief;
    std::uint64_t now = 1'000'000;
    take_piece(thief, now, times.worth);
    thief.look(now);
    EXPECT_FALSE(thief.look_is_due(now + times.between_looks - 1, 2, times));
    EXPECT_TRUE(thief.look_is_due(now + times.between_looks, 2, times));
    EXPECT_FALSE(thief.look_is_due(now + times.between_looks, 128, times));
    EXPECT_TRUE(thief.look_is_due(now + 128 / 16 * times.sixteen_victims, 128, times));
}

TEST(Thief, SharesALongQueueOfShortPieces) {
    const Thief::Seen seen{times.watch, 5};  // a hundred nanoseconds a decision
    EXPECT_FALSE(Thief::is_backlog(56, seen, times)) << "a team that a barrier has released";
    EXPECT_FALSE(Thief::is_backlog(199, seen, times));
    EXPECT_TRUE(Thief::is_backlog(200, seen, times));
    Thief thief;
    std::uint64_t now = 1'000'000;
    thief.expect_short();
    for (int piece = 0; piece < 8; ++piece) {
        EXPECT_TRUE(thief.is_keen()) << piece;
        take_piece(thief, now, 100);
    }
    EXPECT_FALSE(thief.is_keen());
}

}  // namespace
}  // namespace gossamer::fiber
