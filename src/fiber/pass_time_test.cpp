// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads that sleep for moments (pass_time.cpp).
#include "fiber/passing.hpp"
#include "fiber/process_for_test.hpp"

namespace gossamer::fiber {
namespace {

// Threads that sleep for moments on a carrier of which another one takes the clock and the count of switches.
struct Rounds {
    static constexpr Passing::Times times{10, 100};
    Passing passing;
    std::uint64_t now = 1000, switches = 0;

    void enter() { passing.enter(now, times); }

    // Such a thread yields, and the next one comes back, or the same; others have switched so often in between.
    bool must_sleep(bool any = true, std::uint64_t others = 0) {
        const std::uint64_t rounds = passing.rounds();
        switches += (any ? 1 : 0) + others;
        return passing.must_sleep(now, switches, any, rounds, times);
    }
};

TEST(Passing, ThreadsSleepUntilAnotherOneHasRunAndAWhileAfterThat) {
    Rounds it;
    it.enter();
    EXPECT_TRUE(it.must_sleep()) << "nothing has ever run here";
    EXPECT_FALSE(it.must_sleep(true, 1));
    it.now += 99;
    EXPECT_FALSE(it.must_sleep());
    it.now += 1;
    EXPECT_TRUE(it.must_sleep());
    EXPECT_TRUE(it.must_sleep()) << "one in each round";
}

TEST(Passing, SoDoesOneOfThemThatHasBeenOutForLong) {
    Rounds it;
    it.enter();
    it.passing.leave(it.now);
    it.now += 9;
    it.enter();
    EXPECT_TRUE(it.must_sleep()) << "it has only looked";
    it.enter();
    it.passing.leave(it.now);
    it.now += 10;
    it.enter();
    EXPECT_FALSE(it.must_sleep());
    it.now += 100;
    it.enter();
    EXPECT_TRUE(it.must_sleep()) << "it slept meanwhile";
}

TEST(Passing, OneSleepsForAll) {
    Rounds it;
    const std::uint64_t others = it.passing.rounds();
    EXPECT_TRUE(it.must_sleep());
    EXPECT_FALSE(it.passing.must_sleep(it.now, ++it.switches, true, others, it.times)) << "it was away while that one slept";
    EXPECT_TRUE(it.must_sleep());
}

TEST(Passing, WhereNothingElseIsReadyAThreadSleepsUnlessItWasJustNow) {
    Rounds it;
    it.enter();
    it.passing.leave(it.now);
    it.now += 10;
    it.enter();
    EXPECT_TRUE(it.must_sleep(false)) << "it has worked, but for itself";
    EXPECT_FALSE(it.must_sleep(true, 1));
    it.now += 99;
    EXPECT_FALSE(it.must_sleep(false));
    it.now += 1;
    EXPECT_TRUE(it.must_sleep(false));
}

constexpr std::uint64_t moment_ns = 4'000, hour_ns = 3'600'000'000'000;

void sleep_a_moment() {
    const std::uint64_t until_ns = os::now_ns() + moment_ns;
    while (const std::uint64_t left_ns = pass_time(until_ns)) os::sleep_native(left_ns);
}

// No carrier is kept by a thread that sleeps while others are ready.
TEST(PassTime, ThreadsThatSleepForEachOtherMeet) {
    for (const std::uint32_t carriers : {1, 2}) {
        without_relief(with_carriers(carriers), [] {
            constexpr std::uint32_t width = 6, rounds = 50;
            std::atomic<std::uint32_t> arrived{0};
            new_team(width).run_with_caller(width, [&](std::uint32_t) {
                for (std::uint32_t round = 1; round <= rounds; ++round) {
                    arrived.fetch_add(1);
                    while (arrived.load() < round * width) sleep_a_moment();
                }
            });
            EXPECT_EQ(arrived.load(), width * rounds);
        });
    }
}

// Whether something that was ready had run when a thread came back from passing 100 us.
bool lets_others_run() {
    SharedNumber others(0);
    in_process(with_carriers(1), [&] {
        std::atomic<bool> ran{false}, stop{false};
        new_team(2).run_with_caller(2, [&](std::uint32_t number) {
            if (number == 1) {
                ran.store(true);
                while (!stop.load()) yield();
                return;
            }
            const std::uint64_t until_ns = os::now_ns() + 100'000;
            if (pass_time(until_ns) == 0) {
                EXPECT_GE(os::now_ns(), until_ns);
                others.store(ran.load());
            }
            stop.store(true);
        });
    });
    return others.load() != 0;
}

// The monitor may come first, and nothing be ready then.
TEST(PassTime, EndsWhenItIsOver) {
    bool any = false;
    for (int tries = 0; tries < 20 && !any; ++tries) any = lets_others_run();
    EXPECT_TRUE(any);
}

TEST(PassTime, EndsWhereNothingElseIsReady) {
    in_process(with_carriers(1), [] { EXPECT_GT(pass_time(os::now_ns() + hour_ns), hour_ns / 2); });
}

// Whether the first of three threads that all wait for an hour is told to sleep for a moment only. The others end then, too.
bool one_sleeps_for_all() {
    SharedNumber brief(0);
    in_process(with_carriers(1), [&] {
        std::atomic<std::uint32_t> slept{0};
        new_team(3).run_with_caller(3, [&](std::uint32_t) {
            const std::uint64_t ns = pass_time(os::now_ns() + hour_ns);
            if (slept.fetch_add(1) == 0) brief.store(ns < hour_ns / 2);
        });
    });
    return brief.load() != 0;
}

// They would use the processor for an hour.
TEST(PassTime, OneSleepsForAllWhereAllOnlyWait) {
    bool any = false;
    for (int tries = 0; tries < 20 && !any; ++tries) any = one_sleeps_for_all();  // as above
    EXPECT_TRUE(any);
}

}  // namespace
}  // namespace gossamer::fiber
