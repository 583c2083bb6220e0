// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fiber/presence.hpp"

#include <gtest/gtest.h>

namespace gossamer::fiber {
namespace {

TEST(Presence, IsCountedOnceFromEnterToLeave) {
    Presence presence;
    EXPECT_TRUE(presence.enter());
    EXPECT_FALSE(presence.enter());  // a region that got one thread is not left
    EXPECT_TRUE(presence.inside());
    presence.leave(false);
    EXPECT_FALSE(presence.inside());
    EXPECT_EQ(presence.gap(), 0u);
    EXPECT_FALSE(presence.end());
    EXPECT_TRUE(presence.enter());
}

TEST(Presence, LingersUntilItComesBackIsLetGoOrEnds) {
    Presence presence;
    EXPECT_TRUE(presence.enter());
    presence.leave(true);
    EXPECT_NE(presence.gap(), 0u);
    EXPECT_FALSE(presence.enter());  // counted all the time
    presence.leave(true);
    EXPECT_TRUE(presence.let_go(presence.gap()));
    EXPECT_EQ(presence.gap(), 0u);
    EXPECT_TRUE(presence.enter());
    presence.leave(true);
    EXPECT_TRUE(presence.end());
    EXPECT_FALSE(presence.end());
}

TEST(Presence, IsNotLetGoInALaterGap) {
    Presence presence;
    presence.enter();
    presence.leave(true);
    const std::uint32_t gap = presence.gap();
    presence.enter();
    EXPECT_FALSE(presence.let_go(gap));
    presence.leave(true);
    EXPECT_FALSE(presence.let_go(gap));
    EXPECT_NE(presence.gap(), 0u);
}

TEST(Gaps, AreBusyIfMostOfTheirTimeIs) {
    Gaps gaps;
    EXPECT_FALSE(gaps.are_busy());
    gaps.add(5'000, 5'000);
    EXPECT_FALSE(gaps.are_busy());  // too little to tell
    gaps.add(5'000, 5'000);
    EXPECT_TRUE(gaps.are_busy());
    gaps.add(20'000, 1'000);
    EXPECT_FALSE(gaps.are_busy());
    for (int i = 0; i < 100; ++i) gaps.add(1'000'000, 800'000);
    EXPECT_TRUE(gaps.are_busy());
}

TEST(Gaps, OneSleepIsEnoughHoweverLongTheyWereBusy) {
    Gaps gaps;
    for (int i = 0; i < 1000; ++i) gaps.add(1'000'000, 1'000'000);
    gaps.slept();
    EXPECT_FALSE(gaps.are_busy());
    gaps.add(1'000'000'000'000, 0);  // and one of minutes counts no more than that
    for (int i = 0; i < 30; ++i) gaps.add(1'000'000, 1'000'000);
    EXPECT_TRUE(gaps.are_busy());
}

TEST(Gaps, ClocksThatDisagreeDoNoHarm) {
    Gaps gaps;
    gaps.add(0, 0);
    EXPECT_FALSE(gaps.are_busy());
    gaps.add(20'000, 1'000'000);
    gaps.add(40'000, 0);
    EXPECT_FALSE(gaps.are_busy());
}

}  // namespace
}  // namespace gossamer::fiber
