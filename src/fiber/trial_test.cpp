// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fiber/trial.hpp"

#include <gtest/gtest.h>

namespace gossamer::fiber {
namespace {

constexpr std::uint64_t window = 1000;

// In how many of `windows` it is on, if so much comes of each kind.
std::uint32_t windows_on(Trial& trial, std::uint32_t windows, std::uint64_t with, std::uint64_t without) {
    std::uint32_t on = 0;
    for (std::uint32_t i = 0; i < windows; ++i) {
        on += trial.is_on() ? 1 : 0;
        trial.next(trial.is_on() ? with : without, window);
    }
    return on;
}

TEST(Trial, KeepsWhatHelpsAndTriesTheOtherNowAndThen) {
    Trial trial;
    trial.begin(false);
    EXPECT_FALSE(trial.is_on());
    const std::uint32_t on = windows_on(trial, 1000, 20, 10);
    EXPECT_GT(on, 950u);
    EXPECT_LT(on, 980u) << "off now and then";
}

TEST(Trial, LeavesWhatDoesNotHelp) {
    Trial trial;
    trial.begin(false);
    EXPECT_LT(windows_on(trial, 1000, 11, 10), 40u) << "hardly better";
    EXPECT_GT(windows_on(trial, 1000, 40, 10), 900u) << "until it helps";
    EXPECT_LT(windows_on(trial, 1000, 5, 10), 100u) << "and no longer";
}

TEST(Trial, IsOnWhereNothingComesEitherWay) {
    Trial trial;
    trial.begin(false);
    EXPECT_GT(windows_on(trial, 1000, 0, 0), 950u);
}

TEST(Trial, WhatIsDoubtfulIsTriedLate) {
    Trial trial;
    trial.begin(true);
    EXPECT_EQ(windows_on(trial, Trial::most_kept, 20, 10), 0u);
    EXPECT_TRUE(trial.is_on());
}

// What comes first tells little: a wrong beginning is mended after few windows.
TEST(Trial, ComesBackSoonToWhatSeemedBad) {
    Trial trial;
    trial.begin(false);
    trial.next(10, window);  // without
    EXPECT_TRUE(trial.is_on());
    trial.next(1, window);  // with
    EXPECT_FALSE(trial.is_on());
    EXPECT_GE(windows_on(trial, 10, 20, 10), 7u);
}

}  // namespace
}  // namespace gossamer::fiber
