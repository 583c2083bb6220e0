// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fiber/span.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <limits>
#include <thread>
#include <vector>

using gossamer::fiber::Span;

namespace {

TEST(Span, OffersNothingUntilArmed) {
    Span span;
    std::uint32_t lo = 0;
    std::uint32_t hi = 0;
    EXPECT_TRUE(span.empty());
    EXPECT_FALSE(span.take_first(lo));
    EXPECT_FALSE(span.take_half(lo, hi));
    span.arm(5, 5);
    EXPECT_FALSE(span.take_first(lo));
    span.arm(5, 3);
    EXPECT_FALSE(span.take_half(lo, hi));
    EXPECT_EQ(span.size_hint(), 0U);
}

TEST(Span, GivesFromTheFrontAndUpperHalves) {
    Span span;
    std::uint32_t lo = 0;
    std::uint32_t hi = 0;
    span.arm(1, 10);
    ASSERT_TRUE(span.take_half(lo, hi));
    EXPECT_EQ(lo, 5U);
    EXPECT_EQ(hi, 10U);
    ASSERT_TRUE(span.take_first(lo));
    EXPECT_EQ(lo, 1U);
    ASSERT_TRUE(span.take_half(lo, hi));
    EXPECT_EQ(lo, 3U);
    EXPECT_EQ(hi, 5U);
    ASSERT_TRUE(span.take_half(lo, hi));
    EXPECT_EQ(lo, 2U) << "of one number, the half is that number";
    EXPECT_EQ(hi, 3U);
    EXPECT_FALSE(span.take_first(lo));
    EXPECT_TRUE(span.empty());
}

TEST(Span, WorksAtTheEndOfItsRange) {
    constexpr std::uint32_t last = std::numeric_limits<std::uint32_t>::max();
    Span span;
    std::uint32_t lo = 0;
    std::uint32_t hi = 0;
    span.arm(0, last);
    ASSERT_TRUE(span.take_half(lo, hi));
    EXPECT_EQ(lo, last / 2);
    EXPECT_EQ(hi, last);
    span.arm(last - 1, last);
    ASSERT_TRUE(span.take_first(lo));
    EXPECT_EQ(lo, last - 1);
    EXPECT_TRUE(span.empty());
}

/// Many regions on one span, thieves that never look which one it is: each number of each region is taken
/// once.
TEST(Span, ArmedAgainAndAgainUnderThieves) {
    constexpr unsigned width = 64;
    constexpr unsigned regions = 3'000;
    struct Armed {
        Span span;
        unsigned region = 0;  // plain, published by arm
        std::atomic<unsigned> done{0};
    } armed;
    std::vector<std::atomic<int>> taken(width * regions);
    std::atomic<bool> over{false};
    const auto work = [&](std::uint32_t lo, std::uint32_t hi) {
        for (std::uint32_t i = lo; i < hi; ++i) ++taken[armed.region * width + i];
        armed.done.fetch_add(hi - lo);
    };
    std::vector<std::thread> thieves;
    for (int i = 0; i < 3; ++i) {
        thieves.emplace_back([&] {
            std::uint32_t lo = 0;
            std::uint32_t hi = 0;
            while (!over.load()) {
                if (armed.span.take_half(lo, hi)) {
                    work(lo, hi);
                } else {
                    std::this_thread::yield();
                }
            }
        });
    }
    for (unsigned region = 0; region < regions; ++region) {
        armed.region = region;
        armed.done = 0;
        armed.span.arm(0, width);
        std::uint32_t number = 0;
        while (armed.span.take_first(number)) work(number, number + 1);
        while (armed.done.load() != width) std::this_thread::yield();
    }
    over = true;
    for (std::thread& thief : thieves) thief.join();
    for (const auto& times : taken) ASSERT_EQ(times, 1);
}

}  // namespace
