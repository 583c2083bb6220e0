// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "omp/work/loop.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <limits>
#include <thread>
#include <vector>

#include "omp/work/deal.hpp"

namespace gossamer::omp {
namespace {

// Walks the loop in wider arithmetic and compares count and values.
template <class T>
void compare_with_plain_loop(int lower, int upper, int step, bool inclusive) {
    uint64_t plain = 0;
    for (int at = lower; step > 0 ? (inclusive ? at <= upper : at < upper) : (inclusive ? at >= upper : at > upper);
         at += step) {
        Loop loop;
        loop.base = static_cast<uint64_t>(static_cast<T>(lower));
        loop.step = static_cast<uint64_t>(static_cast<int64_t>(step));
        ASSERT_EQ(static_cast<T>(loop.value(plain)), static_cast<T>(at)) << lower << ' ' << upper << ' ' << step;
        ++plain;
    }
    const uint64_t counted = inclusive ? iterations_inclusive<T>(static_cast<T>(lower), static_cast<T>(upper), step)
                                       : iterations_exclusive<T>(static_cast<T>(lower), static_cast<T>(upper), step);
    ASSERT_EQ(counted, plain) << lower << ' ' << upper << ' ' << step << (inclusive ? " inclusive" : "");
}

template <class T>
class EightBitLoop : public testing::Test {};
using EightBits = testing::Types<int8_t, uint8_t>;
TYPED_TEST_SUITE(EightBitLoop, EightBits);

TYPED_TEST(EightBitLoop, EveryBoundAndStep) {
    using Limits = std::numeric_limits<TypeParam>;
    for (int lower = Limits::min(); lower <= Limits::max(); lower += 3) {
        for (int upper = Limits::min(); upper <= Limits::max(); ++upper) {
            for (const int step : {1, 2, 3, 7, 127, -1, -2, -5, -128}) {
                compare_with_plain_loop<TypeParam>(lower, upper, step, false);
                compare_with_plain_loop<TypeParam>(lower, upper, step, true);
                if (testing::Test::HasFatalFailure()) return;
            }
        }
    }
}

TEST(Loop, ExtremeBounds) {
    constexpr int64_t low = INT64_MIN;
    constexpr int64_t high = INT64_MAX;
    EXPECT_EQ(iterations_exclusive<int64_t>(low, high, 1), UINT64_MAX);
    EXPECT_EQ(iterations_exclusive<int64_t>(high, low, -1), UINT64_MAX);
    EXPECT_EQ(iterations_inclusive<int64_t>(low, high, 2), uint64_t{1} << 63);
    EXPECT_EQ(iterations_inclusive<int64_t>(high, low, low), 2u);
    EXPECT_EQ(iterations_inclusive<uint64_t>(0, UINT64_MAX, 1), UINT64_MAX);
    EXPECT_EQ(iterations_inclusive<uint64_t>(UINT64_MAX, 0, -1), UINT64_MAX);
    EXPECT_EQ(iterations_exclusive<uint64_t>(0, UINT64_MAX, high), 3u);
    EXPECT_EQ(iterations_exclusive<int32_t>(INT32_MIN, INT32_MAX, 1), uint64_t{UINT32_MAX});
    EXPECT_EQ(iterations_inclusive<uint32_t>(0, UINT32_MAX, 1), uint64_t{1} << 32);
    EXPECT_EQ(iterations_exclusive<int64_t>(5, 5, 1), 0u);
    EXPECT_EQ(iterations_exclusive<int64_t>(5, 4, 1), 0u);
    EXPECT_EQ(iterations_inclusive<int64_t>(5, 5, -3), 1u);
    EXPECT_EQ(iterations_exclusive<int64_t>(0, 5, 0), 0u);
}

// Asks for chunks in the given order of threads until nobody gets one; every iteration must come exactly once, each
// thread's in increasing order.
void deal_out(const Loop& loop, uint32_t threads, const std::vector<uint32_t>& order) {
    std::vector<int> seen(loop.count, 0);
    std::vector<uint64_t> round(threads, 0);
    std::vector<uint64_t> reached(threads, 0);
    std::vector<bool> finished(threads, false);
    std::atomic<uint64_t> next{0};
    uint32_t working = threads;
    for (size_t at = 0; working > 0; ++at) {
        const uint32_t num = order[at % order.size()];
        if (finished[num]) continue;
        Chunk chunk;
        const bool more = is_static(loop.partition)              ? take_static(loop, threads, num, round[num]++, chunk)
                          : loop.partition == Partition::dynamic ? take_dynamic(next, loop, loop.chunk, chunk)
                                                                 : take_guided(next, loop, threads, chunk);
        if (!more) {
            finished[num] = true;
            --working;
            continue;
        }
        ASSERT_LT(chunk.begin, chunk.end);
        ASSERT_LE(chunk.end, loop.count);
        ASSERT_GE(chunk.begin, reached[num]);
        reached[num] = chunk.end;
        if (loop.partition == Partition::static_chunked || loop.partition == Partition::dynamic) {
            ASSERT_EQ(chunk.begin % loop.chunk, 0u);
            ASSERT_TRUE(chunk.size() == loop.chunk || chunk.end == loop.count);
        }
        if (loop.partition == Partition::guided) {
            ASSERT_TRUE(chunk.size() >= loop.chunk || chunk.end == loop.count);
        }
        if (loop.partition == Partition::guided_simd) {
            ASSERT_TRUE(chunk.size() % loop.chunk == 0 || chunk.end == loop.count);
        }
        for (uint64_t i = chunk.begin; i < chunk.end; ++i) ++seen[i];
    }
    for (uint64_t i = 0; i < loop.count; ++i) ASSERT_EQ(seen[i], 1) << "iteration " << i << " of " << loop.count;
}

TEST(Deal, EveryIterationOnceUnderEveryPartition) {
    for (const Partition partition : {Partition::static_block, Partition::static_chunked, Partition::static_greedy,
                                      Partition::dynamic, Partition::guided, Partition::guided_simd}) {
        for (uint32_t threads = 1; threads <= 6; ++threads) {
            std::vector<uint32_t> in_turn, backwards, uneven;
            for (uint32_t num = 0; num < threads; ++num) {
                in_turn.push_back(num);
                backwards.push_back(threads - 1 - num);
                for (uint32_t times = 0; times <= num; ++times) uneven.push_back(num);
            }
            for (uint64_t count = 0; count <= 40; ++count) {
                for (uint64_t chunk = 1; chunk <= 9; ++chunk) {
                    Loop loop;
                    loop.count = count;
                    loop.chunk = chunk;
                    loop.partition = partition;
                    for (const auto& order : {in_turn, backwards, uneven}) deal_out(loop, threads, order);
                    if (testing::Test::HasFatalFailure()) return;
                }
            }
        }
    }
}

TEST(Deal, BlocksDifferByOneAtMost) {
    for (uint32_t threads = 1; threads <= 9; ++threads) {
        for (uint64_t count = 0; count <= 60; ++count) {
            uint64_t end = 0;
            for (uint32_t num = 0; num < threads; ++num) {
                const Chunk block = static_block(count, threads, num);
                ASSERT_EQ(block.begin, end);
                ASSERT_GE(block.size(), count / threads);
                ASSERT_LE(block.size(), count / threads + 1);
                end = block.end;
            }
            ASSERT_EQ(end, count);
        }
    }
}

TEST(Deal, HugeSpaces) {
    constexpr uint64_t count = UINT64_MAX;
    constexpr uint32_t threads = 7;
    uint64_t end = 0;
    for (uint32_t num = 0; num < threads; ++num) {
        const Chunk block = static_block(count, threads, num);
        EXPECT_EQ(block.begin, end);
        end = block.end;
    }
    EXPECT_EQ(end, count);
    EXPECT_EQ(static_greedy(count, threads, threads - 1).end, count);

    // One more chunk than threads, the last one cut short.
    const uint64_t chunk = count / threads;
    EXPECT_EQ(static_chunk(count, chunk, threads, 0, 1), (Chunk{threads * chunk, count}));
    EXPECT_TRUE(static_chunk(count, chunk, threads, 1, 1).empty());
    EXPECT_TRUE(static_chunk(count, UINT64_MAX, threads, 1, 0).empty());
    EXPECT_EQ(static_chunk(count, UINT64_MAX, threads, 0, 0), (Chunk{0, count}));
    EXPECT_TRUE(static_chunk(5, 1, threads, 0, UINT64_MAX).empty());
}

// Every thread asks again and again after the end: the counter must not wrap around to the beginning.
TEST(Deal, DynamicCounterNeverWraps) {
    for (const uint64_t size : {uint64_t{1} << 62, uint64_t{1} << 63, UINT64_MAX / 2, UINT64_MAX}) {
        for (const uint64_t count : {UINT64_MAX, UINT64_MAX - 1, uint64_t{1} << 63}) {
            constexpr uint32_t threads = 4;
            Loop loop;
            loop.count = count;
            loop.chunk = size;
            loop.partition = Partition::dynamic;
            std::atomic<uint64_t> next{0};
            uint64_t end = 0;
            Chunk chunk;
            while (take_dynamic(next, loop, loop.chunk, chunk)) {
                ASSERT_EQ(chunk.begin, end);
                ASSERT_GT(chunk.end, chunk.begin);
                end = chunk.end;
            }
            EXPECT_EQ(end, count);
            for (uint32_t more = 1; more < threads; ++more) EXPECT_FALSE(take_dynamic(next, loop, loop.chunk, chunk));
        }
    }
}

TEST(Deal, GuidedSizes) {
    EXPECT_EQ(guided_size(100, 1, 4), 25u);
    EXPECT_EQ(guided_size(101, 1, 4), 26u);
    EXPECT_EQ(guided_size(3, 1, 4), 1u);
    EXPECT_EQ(guided_size(100, 40, 4), 40u);
    EXPECT_EQ(guided_size(30, 40, 4), 30u);
    EXPECT_EQ(guided_size(UINT64_MAX, 1, 1), UINT64_MAX);
    EXPECT_EQ(guided_simd_size(100, 8, 4), 32u);
    EXPECT_EQ(guided_simd_size(30, 8, 4), 8u);
    EXPECT_EQ(guided_simd_size(7, 8, 4), 7u);
    EXPECT_EQ(guided_simd_size(9, 8, 1), 9u);
    EXPECT_EQ(guided_simd_size(UINT64_MAX, 8, 1), UINT64_MAX);
}

TEST(Loop, BlocksRoundedUp) {
    EXPECT_EQ(rounded_block(100, 4, 8), 32u);
    EXPECT_EQ(rounded_block(64, 4, 8), 16u);
    EXPECT_EQ(rounded_block(0, 4, 8), 8u);
    EXPECT_EQ(rounded_block(3, 1, UINT64_MAX), UINT64_MAX);
    EXPECT_EQ(rounded_block(UINT64_MAX - 8, 1, 8), UINT64_MAX - 7);
    EXPECT_EQ(rounded_block(UINT64_MAX - 1, 1, 8), UINT64_MAX);  // the multiple would be 2^64
}

TEST(Deal, MoreShortChunksAtOnceAndOneBehindALongOne) {
    Loop loop;
    loop.chunk = 3;
    constexpr uint64_t is_short = 1000;
    const auto next = [&](Took took, uint64_t left = 1'000'000, uint32_t threads = 2) {
        return chunks_at_once(loop, left, threads, took, is_short);
    };
    EXPECT_EQ(next({0, 0}), 1u) << "the first time";
    EXPECT_EQ(next({1, 999}), 2u);
    EXPECT_EQ(next({2, 999}), 4u);
    EXPECT_EQ(next({4, 999}), 8u);
    EXPECT_EQ(next({8, 1}), 8u) << "but no more than that";
    EXPECT_EQ(next({4, 1000}), 4u) << "as many where they are neither short nor long";
    EXPECT_EQ(next({8, 2000}), 1u);
    // 8 chunks of 3 iterations are half of the part that each of two threads has of 96.
    EXPECT_EQ(next({8, 1}, 96), 8u);
    EXPECT_EQ(next({8, 1}, 95), 4u);
    EXPECT_EQ(next({8, 1}, 96, 4), 4u);
    EXPECT_EQ(next({8, 1}, 12), 1u);
    EXPECT_EQ(next({8, 1}, 0), 1u);
    loop.chunk = uint64_t{1} << 60;
    EXPECT_EQ(next({1, 1}, UINT64_MAX, 1), 1u) << "so many might overflow";
}

TEST(Deal, ManyTakersAtOnce) {
    constexpr uint32_t threads = 4;
    constexpr uint64_t count = 20'011;
    for (const Partition partition : {Partition::dynamic, Partition::guided, Partition::guided_simd}) {
        Loop loop;
        loop.count = count;
        loop.chunk = 3;
        loop.partition = partition;
        std::atomic<uint64_t> next{0};
        std::vector<std::atomic<int>> seen(count);
        std::vector<std::thread> takers;
        for (uint32_t num = 0; num < threads; ++num) {
            takers.emplace_back([&] {
                Chunk chunk;
                while (partition == Partition::dynamic ? take_dynamic(next, loop, loop.chunk, chunk)
                                                       : take_guided(next, loop, threads, chunk)) {
                    for (uint64_t i = chunk.begin; i < chunk.end; ++i) ++seen[i];
                }
            });
        }
        for (std::thread& taker : takers) taker.join();
        for (uint64_t i = 0; i < count; ++i) ASSERT_EQ(seen[i], 1) << i;
    }
}

}  // namespace
}  // namespace gossamer::omp
