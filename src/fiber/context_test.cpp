// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The descriptor of a fiber: what lies in one cache line, and what a home waits for.

#include "fiber/context.hpp"

#include <gtest/gtest.h>

#include "fiber/habit.hpp"
#include "fiber/home.hpp"

namespace gossamer::fiber {
namespace {

template <class T>
std::uintptr_t line_of(const T& field) {
    return reinterpret_cast<std::uintptr_t>(&field) / cache_line;
}

// docs/decisions/0029: each line more is one more in the first-level cache for each fiber, or one more that a start moves.
TEST(Context, ASwitchAndAWakeTouchOneLine) {
    const Fiber fiber;
    const std::uintptr_t line = line_of(fiber);
    EXPECT_EQ(line_of(fiber.next), line);
    EXPECT_EQ(line_of(fiber.permit), line);
    EXPECT_EQ(line_of(fiber.stack_pointer), line);
    EXPECT_EQ(line_of(fiber.thread_pointer), line);
    EXPECT_EQ(line_of(fiber.carrier), line);
    EXPECT_EQ(line_of(fiber.local), line);
    EXPECT_EQ(line_of(fiber.record), line);
    EXPECT_EQ(line_of(fiber.zone), line);
    EXPECT_EQ(line_of(fiber.kind), line);
    EXPECT_EQ(line_of(fiber.rested), line);
}

TEST(Context, AStartTouchesOneLineThatTheHomeWritesOnlyToAnswer) {
    const Fiber home;
    const std::uintptr_t line = line_of(home.orders);
    EXPECT_EQ(line_of(home.start_call), line);
    EXPECT_EQ(line_of(home.start_argument), line);
    EXPECT_EQ(line_of(home.start_words), line);
    EXPECT_EQ(line_of(home.start_words[words_a_start - 1]), line);
    EXPECT_EQ(line_of(home.start_tag), line);
    EXPECT_EQ(line_of(home.served), line);
    EXPECT_EQ(line_of(home.takes_orders), line);
    EXPECT_NE(line_of(home.own), line);
    EXPECT_NE(line_of(home.start_record), line);
    EXPECT_NE(line_of(home.taken), line);
    EXPECT_NE(line_of(home.reported), line);
    EXPECT_NE(line_of(home.awaited), line);
    EXPECT_NE(line_of(home.local), line);
}

TEST(Context, OnlyAHomeTakesOrders) {
    Fiber fiber;
    for (const Kind kind : {Kind::full, Kind::light, Kind::lender}) {
        fiber.set_kind(kind);
        EXPECT_FALSE(fiber.takes_orders);
    }
    fiber.set_kind(Kind::native);
    EXPECT_TRUE(fiber.takes_orders);
}

// Work that is relieved learns by the record of what it does next, not of what it did last.
TEST(Context, AHomeThatHasAnOrderRunsThatNext) {
    ReliefRecord last, ordered;
    Fiber home;
    home.record = &last;
    home.start_record = &ordered;
    EXPECT_EQ(habit_of(Item(&home)), &last.now());
    home.orders.store(1);
    EXPECT_EQ(habit_of(Item(&home)), &ordered.now());
    home.taken.store(1);
    EXPECT_EQ(habit_of(Item(&home)), &last.now());
}

TEST(Context, AHomeIsWantedWhenItsCountIsZeroAndWhileItYields) {
    Fiber home;
    EXPECT_FALSE(home.wanted());
    std::atomic<std::uint32_t> count{1};
    {
        const Awaits zero(home, count);
        EXPECT_FALSE(home.wanted());
        {
            const Awaits yielding(home);
            EXPECT_TRUE(home.wanted());
        }
        EXPECT_FALSE(home.wanted()) << "it waits for the count again";
        count.store(0);
        EXPECT_TRUE(home.wanted());
    }
    EXPECT_FALSE(home.wanted());
}

}  // namespace
}  // namespace gossamer::fiber
