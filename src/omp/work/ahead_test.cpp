// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops of which a thread takes a few short chunks at once (ahead.hpp, uneven.hpp).
#include <gtest/gtest.h>

#include "omp/work/native_team_for_test.hpp"

namespace gossamer::omp {
namespace {

TEST(Ahead, WhatMustComeOneByOneDoes) {
    NativeTeam team(2);
    loop_start(team[0], make_loop(1000, Partition::dynamic));
    Chunk chunk;
    for (uint64_t i = 1; loop_next(team[0], chunk); ++i) ASSERT_EQ(team[0].work.share->next, i);
    share_leave(team[0]);
}

// Thread 0 has begun iteration 0 of `loop`, and holds 1 to `held`.
void let_hold(Thread& thread, const Loop& loop, uint32_t held) {
    loop_start(thread, loop);
    Chunk chunk;
    ASSERT_TRUE(loop_next(thread, chunk));
    ASSERT_EQ(chunk, (Chunk{0, 1}));
    Share& share = *thread.work.share;
    const auto slot = static_cast<uint32_t>(&share - thread.team->work.ring);
    share.ahead.announce(thread.held, slot, thread.work.counted_holder);
    share.next += held;
    thread.held.hold(slot, 1, held);
}

TEST(Ahead, WhatABusyThreadHoldsIsTakenByOneThatHasNothingLeft) {
    if (!os::asymmetric_fence_ready()) GTEST_SKIP() << "no thread holds chunks here";
    NativeTeam team(2);
    const Loop loop = make_loop(8, Partition::dynamic_ahead);
    let_hold(team[0], loop, 4);
    loop_start(team[1], loop);
    Chunk chunk;
    for (uint64_t i : {5, 6, 1, 2, 3}) {
        ASSERT_TRUE(loop_next(team[1], chunk));
        ASSERT_EQ(chunk, (Chunk{i, i + 1}));
    }
    ASSERT_TRUE(loop_next(team[0], chunk));
    EXPECT_EQ(chunk, (Chunk{4, 5}));
    ASSERT_TRUE(loop_next(team[1], chunk));
    EXPECT_EQ(chunk, (Chunk{7, 8})) << "the last one when no other is held";
    EXPECT_FALSE(loop_next(team[1], chunk));
    EXPECT_FALSE(loop_next(team[0], chunk));
    share_leave(team[0]);
    EXPECT_FALSE(team[1].work.share->ahead.any_other(false));
    share_leave(team[1]);
}

// As it copies lastprivate variables out.
TEST(Ahead, AThreadThatHasRunTheLastChunkTakesNothingMore) {
    if (!os::asymmetric_fence_ready()) GTEST_SKIP() << "no thread holds chunks here";
    NativeTeam team(4);
    const Loop loop = make_loop(6, Partition::dynamic_ahead);
    loop_start(team[1], loop);
    loop_start(team[2], loop);
    loop_start(team[3], loop);
    let_hold(team[0], loop, 2);
    Chunk chunk;
    for (uint64_t i : {3, 4, 1, 2}) {
        ASSERT_TRUE(loop_next(team[1], chunk));
        ASSERT_EQ(chunk, (Chunk{i, i + 1}));
    }
    // It holds the last one, 5, meanwhile, and is busy.
    ASSERT_TRUE(loop_next(team[2], chunk));
    EXPECT_EQ(chunk, (Chunk{5, 6}));
    Share& share = *team[3].work.share;
    share.ahead.announce(team[3].held, 0, team[3].work.counted_holder);
    team[3].held.hold(0, 0, 1);  // as if it had some
    EXPECT_FALSE(loop_next(team[2], chunk));
    hold_nothing(team[3].work);
    EXPECT_FALSE(loop_next(team[1], chunk));
    EXPECT_FALSE(loop_next(team[0], chunk));
    for (uint32_t num : {0, 1, 2, 3}) share_leave(team[num]);
}

// Thread `num`, which has just taken `chunks` of a loop at once, comes back for more after `cycles`. How many it takes now.
uint64_t takes(Thread& thread, uint64_t chunks, uint64_t cycles) {
    thread.work.round = chunks;
    thread.work.ahead.since = arch::cycles() - cycles;
    const uint64_t before = thread.work.share->next;
    Chunk chunk;
    EXPECT_TRUE(loop_next(thread, chunk));
    const uint64_t taken = thread.work.share->next - before;
    while (thread.work.counted_holder && take_held(thread.work, chunk)) {}
    return taken;
}

TEST(Ahead, WhatTurnedOutUnevenComesOneByOne) {
    if (!os::asymmetric_fence_ready()) GTEST_SKIP() << "no thread holds chunks here";
    NativeTeam team(2);
    const uint64_t long_time = fiber::cycles_in(1'000'000'000);
    Loop loop = make_loop(1000, Partition::dynamic_ahead), other = loop;
    loop.site = 5;
    other.site = 6;
    const auto one_loop = [&](const Loop& now, const auto& in_it) {
        loop_start(team[0], now);
        loop_start(team[1], now);
        in_it();
        share_leave(team[0]);
        share_leave(team[1]);
    };
    one_loop(loop, [&] {
        takes(team[0], 1, long_time);
        EXPECT_FALSE(team[0].team->work.uneven.has(5)) << "long, but not behind short ones";
        takes(team[0], 4, long_time);
        EXPECT_TRUE(team[0].team->work.uneven.has(5));
        EXPECT_EQ(takes(team[1], 8, 1), 1u) << "at once, for all threads";
    });
    one_loop(other, [&] { EXPECT_FALSE(team[0].team->work.uneven.has(6)); });
    // Twice as many as the first time, since the thread has met no other loop before.
    for (uint32_t met = 0; met < 2 * UnevenLoops::first_tried_after; ++met) {
        EXPECT_TRUE(team[0].team->work.uneven.has(5));
        one_loop(loop, [&] {
            EXPECT_EQ(takes(team[1], 8, 1), 1u);
            takes(team[0], 0, 0);
        });
    }
    EXPECT_FALSE(team[0].team->work.uneven.has(5)) << "it is tried again";
}

// What a lost processor costs is lost seldom.
TEST(UnevenLoops, AreTriedAgainAfterTwiceAsManyWhereThatFailsSoon) {
    UnevenLoops uneven;
    const auto lasts = [&] {
        uint32_t loops = 0;
        for (; uneven.has(3); ++loops) uneven.count();
        return loops;
    };
    uneven.add(3, UnevenLoops::soon + 1);
    EXPECT_FALSE(uneven.has(2));
    EXPECT_EQ(lasts(), UnevenLoops::first_tried_after);
    uneven.add(3, 1);
    EXPECT_EQ(lasts(), 2 * UnevenLoops::first_tried_after);
    uneven.add(3, UnevenLoops::soon);
    EXPECT_EQ(lasts(), 4 * UnevenLoops::first_tried_after);
    for (int again = 0; again < 10; ++again) uneven.add(3, 1);
    EXPECT_EQ(lasts(), UnevenLoops::last_tried_after) << "at most";
    uneven.add(3, UnevenLoops::soon + 1);
    EXPECT_EQ(lasts(), UnevenLoops::first_tried_after);
}

TEST(Ahead, AThreadThatLeavesHoldsNothing) {
    NativeTeam team(2);
    const Loop loop = make_loop(3, Partition::dynamic_ahead);
    let_hold(team[0], loop, 2);
    share_leave(team[0]);  // as where the loop is cancelled
    loop_start(team[1], loop);
    Chunk chunk;
    EXPECT_FALSE(loop_next(team[1], chunk));
    share_leave(team[1]);
}

}  // namespace
}  // namespace gossamer::omp
