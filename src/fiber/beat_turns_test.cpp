// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fiber/beat_turns.hpp"

#include <gtest/gtest.h>

namespace gossamer::fiber {
namespace {

// How many take turns behind that many intervals of 100 due beats, of which so many came.
std::uint32_t turns_behind(BeatTurns turns, int intervals, std::uint64_t came) {
    while (intervals-- > 0) turns.end_interval(came, 100);
    return turns.now();
}

TEST(BeatTurns, OneIsEnoughWhereMostBeatsCome) { EXPECT_EQ(turns_behind(BeatTurns(), 100, 75), 1u); }

TEST(BeatTurns, OneMoreTakesTurnsWhereFewCome) {
    EXPECT_EQ(turns_behind(BeatTurns(), 1, 40), 1u) << "may be chance";
    EXPECT_EQ(turns_behind(BeatTurns(), 2, 40), 2u);
    EXPECT_EQ(turns_behind(BeatTurns(), 100, 40), BeatTurns::most);
}

TEST(BeatTurns, FewOnceInAWhileAreNoReason) {
    BeatTurns turns;
    for (int i = 0; i < 100; ++i) EXPECT_FALSE(turns.end_interval(i % 2 == 0 ? 40 : 80, 100));
    EXPECT_EQ(turns.now(), 1u);
}

// Where the process has no processor no beat is due.
TEST(BeatTurns, NothingIsMissingWhereNothingIsDue) {
    BeatTurns turns;
    for (int i = 0; i < 10; ++i) EXPECT_FALSE(turns.end_interval(0, 0));
}

}  // namespace
}  // namespace gossamer::fiber
