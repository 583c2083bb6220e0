// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "abi/kmpc/static_bounds.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <iterator>
#include <limits>
#include <map>

namespace gossamer::abi {
namespace {

// Runs the loop as a compiler's code does: from chunk to chunk by the stride, each cut at the loop's bound.
template <class T>
void run_like_a_compiler(int32_t schedule, T lower, T upper, std::make_signed_t<T> step, int64_t chunk, uint32_t threads) {
    // Where the loop variable would pass its type's end on the way from chunk to chunk, the program itself is at fault.
    const int64_t span = static_cast<int64_t>(threads) * (chunk > 0 ? chunk : 1) * step;
    const bool chunked = schedule == schedule_static_chunked;
    using Limits = std::numeric_limits<T>;
    if (chunked && (upper + span > int64_t{Limits::max()} || upper + span < int64_t{Limits::min()})) return;
    std::map<int64_t, int> plain;
    for (int64_t at = lower; step > 0 ? at <= int64_t{upper} : at >= int64_t{upper}; at += step) ++plain[at];
    std::map<int64_t, int> seen;
    uint32_t last_flags = 0;
    for (uint32_t num = 0; num < threads; ++num) {
        const StaticBounds<T> bounds = static_bounds<T>(schedule, lower, upper, step, chunk, threads, num);
        bool has_last = false;
        int64_t from = bounds.lower;
        int64_t to = bounds.upper;
        for (int chunks = 0; chunks < 1000; ++chunks) {
            if (step > 0 ? to > int64_t{upper} : to < int64_t{upper}) to = upper;
            if (step > 0 ? from > to : from < to) break;
            for (int64_t at = from; step > 0 ? at <= to : at >= to; at += step) {
                ++seen[at];
                has_last = has_last || at == (step > 0 ? plain.rbegin() : std::prev(plain.rend()))->first;
            }
            if (!chunked) break;
            from = static_cast<T>(from + bounds.stride);
            to = static_cast<T>(to + bounds.stride);
        }
        last_flags += bounds.last;
        ASSERT_EQ(bounds.last, has_last) << num;
    }
    ASSERT_EQ(seen, plain);
    ASSERT_EQ(last_flags, plain.empty() ? 0u : 1u);
}

template <class T>
class Bounds : public testing::Test {};
using Types = testing::Types<int8_t, uint8_t, int16_t>;
TYPED_TEST_SUITE(Bounds, Types);

TYPED_TEST(Bounds, EveryIterationOnce) {
    using Limits = std::numeric_limits<TypeParam>;
    const int edges[] = {Limits::min(), Limits::min() + 1, 0, 5, 17, Limits::max() - 9, Limits::max()};
    for (const int lower : edges) {
        for (const int upper : edges) {
            if (upper - lower > 300 || lower - upper > 300) continue;
            for (const int step : {1, 3, 50, -1, -4, -100}) {
                for (const uint32_t threads : {1u, 2u, 3u, 7u}) {
                    for (const int schedule : {schedule_static, schedule_static_greedy, schedule_static_chunked}) {
                        for (const int chunk : {0, 1, 4, 100}) {
                            run_like_a_compiler<TypeParam>(schedule, static_cast<TypeParam>(lower),
                                                           static_cast<TypeParam>(upper),
                                                           static_cast<std::make_signed_t<TypeParam>>(step), chunk, threads);
                            if (testing::Test::HasFatalFailure()) {
                                FAIL() << lower << ".." << upper << " by " << step << ", " << threads << " threads, schedule "
                                       << schedule << ", chunk " << chunk;
                            }
                        }
                    }
                }
            }
        }
    }
}

TEST(StaticBounds, ThreadsWithoutIterationsSkipTheLoopAtTheTypesEdge) {
    for (const int32_t upper : {INT32_MAX, 0, INT32_MIN + 1}) {
        const auto bounds = static_bounds<int32_t>(schedule_static, upper - 1, upper, 1, 0, 8, 7);
        EXPECT_GT(bounds.lower, bounds.upper);
        EXPECT_FALSE(bounds.last);
    }
    const auto down = static_bounds<int64_t>(schedule_static_chunked, INT64_MIN + 1, INT64_MIN, -1, 4, 8, 7);
    EXPECT_LT(down.lower, down.upper);
    const auto wide = static_bounds<uint64_t>(schedule_static, UINT64_MAX - 1, UINT64_MAX, 1, 0, 3, 2);
    EXPECT_GT(wide.lower, wide.upper);
}

TEST(StaticBounds, RoundedBlocksAreMultiplesOfTheWidth) {
    const auto first = static_bounds<int32_t>(schedule_static_rounded, 0, 99, 1, 8, 4, 0);
    EXPECT_EQ(first.lower, 0);
    EXPECT_EQ(first.upper, 31);  // 25 rounded up to 32
    const auto last = static_bounds<int32_t>(schedule_static_rounded, 0, 99, 1, 8, 4, 3);
    EXPECT_EQ(last.lower, 96);
    EXPECT_EQ(last.upper, 99);
    EXPECT_TRUE(last.last);
}

// The block of the only thread, rounded up, does not fit in 64 bits.
TEST(StaticBounds, ARoundedBlockMayHoldTheLongestLoop) {
    const auto all = static_bounds<uint64_t>(schedule_static_rounded, 0, UINT64_MAX - 1, 1, 8, 1, 0);
    EXPECT_EQ(all.lower, 0u);
    EXPECT_EQ(all.upper, UINT64_MAX - 1);
    EXPECT_TRUE(all.last);
}

TEST(StaticBounds, LoopsWithoutIterationsAreHandedBack) {
    const auto bounds = static_bounds<int32_t>(schedule_static, 1, 0, 1, 0, 4, 2);
    EXPECT_EQ(bounds.lower, 1);
    EXPECT_EQ(bounds.upper, 0);
    EXPECT_FALSE(bounds.last);
}

TEST(ScheduleArgument, TakenApart) {
    const ScheduleArgument plain(schedule_dynamic | nonmonotonic_bit);
    EXPECT_EQ(plain.number, schedule_dynamic);
    EXPECT_FALSE(plain.ordered || plain.unmerged || plain.monotonic);
    const ScheduleArgument ordered(66 | monotonic_bit);
    EXPECT_EQ(ordered.number, schedule_static);
    EXPECT_TRUE(ordered.ordered && ordered.monotonic && !ordered.unmerged);
    const ScheduleArgument unmerged(195);
    EXPECT_EQ(unmerged.number, schedule_dynamic);
    EXPECT_TRUE(unmerged.ordered && unmerged.unmerged);
    EXPECT_EQ(ScheduleArgument(163).number, schedule_dynamic);
    EXPECT_EQ(ScheduleArgument(schedule_distribute_chunked).number, schedule_distribute_chunked);
}

TEST(StaticBounds, TheShortWayGivesTheSame) {
    constexpr int32_t ends[] = {INT32_MIN, INT32_MIN + 1, -7, -1, 0, 1, 5, 63, 64, 1000, INT32_MAX - 1, INT32_MAX};
    int taken = 0, each = 0;
    const auto compare = [&]<class T>(T lower, T upper) {
        for (const uint32_t threads : {1u, 2u, 3u, 8u, 64u, 1000u}) {
            for (uint32_t num = 0; num < threads; num += threads > 64 ? 37 : 1) {
                StaticBounds<T> bounds{};
                const bool one_each = static_one_each<T>(lower, upper, 1, threads, num, bounds);
                if (one_each) {
                    ++each;
                    EXPECT_EQ(bounds, static_bounds<T>(schedule_static, lower, upper, 1, 0, threads, num));
                }
                if (!static_unit_block<T>(lower, upper, 1, threads, num, bounds)) continue;
                ++taken;
                EXPECT_EQ(bounds, static_bounds<T>(schedule_static, lower, upper, 1, 0, threads, num))
                    << lower << " to " << upper << ", thread " << num << " of " << threads;
            }
        }
    };
    for (const int32_t lower : ends) {
        for (const int32_t upper : ends) {
            compare.operator()<int32_t>(lower, upper);
            compare.operator()<uint32_t>(static_cast<uint32_t>(lower), static_cast<uint32_t>(upper));
        }
    }
    EXPECT_GT(taken, 1000);
    EXPECT_GT(each, 20);
    StaticBounds<int32_t> none{};
    EXPECT_FALSE(static_unit_block<int32_t>(0, 9, 2, 4, 0, none));
    EXPECT_FALSE(static_unit_block<int32_t>(5, 4, 1, 4, 0, none));
    EXPECT_FALSE(static_one_each<int32_t>(0, 6, 2, 4, 0, none));
    EXPECT_FALSE(static_one_each<int32_t>(INT32_MAX, INT32_MIN, 1, 2, 0, none));
    StaticBounds<int64_t> wide{};
    EXPECT_FALSE(static_unit_block<int64_t>(0, 9, 1, 4, 0, wide));
    EXPECT_FALSE(static_one_each<int64_t>(0, 3, 1, 4, 0, wide));
}

}  // namespace
}  // namespace gossamer::abi
