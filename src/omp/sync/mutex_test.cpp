// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "omp/sync/mutex.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

#include "fiber/fiber.hpp"
#include "omp/sync/critical.hpp"
#include "omp/sync/mutex_word.hpp"
#include "omp/team/team.hpp"

namespace gossamer::omp {
namespace {

TEST(Mutex, ZeroBytesAreAFreeOne) {
    alignas(Mutex) std::uint32_t name[8] = {};
    Mutex& mutex = mutex_in(name);
    EXPECT_TRUE(mutex.is_free());
    mutex.lock();
    EXPECT_FALSE(mutex.is_free());
    mutex.unlock();
    EXPECT_TRUE(mutex.is_free());
    for (int i = 1; i < 8; ++i) EXPECT_EQ(name[i], 0u) << "only the first four bytes are used";
}

TEST(Mutex, TryLockFailsWhileHeld) {
    Mutex mutex;
    EXPECT_TRUE(mutex.try_lock());
    EXPECT_FALSE(mutex.try_lock());
    mutex.unlock();
    EXPECT_TRUE(mutex.try_lock());
    mutex.unlock();
}

TEST(Mutex, OneAtATime) {
    constexpr int threads = 4, rounds = 20'000;
    Mutex mutex;
    long shared = 0;
    int inside = 0;
    bool alone = true;
    std::vector<std::thread> team;
    for (int t = 0; t < threads; ++t) {
        team.emplace_back([&] {
            for (int i = 0; i < rounds; ++i) {
                mutex.lock();
                alone &= ++inside == 1;
                ++shared;
                --inside;
                mutex.unlock();
            }
        });
    }
    for (std::thread& thread : team) thread.join();
    EXPECT_TRUE(alone);
    EXPECT_EQ(shared, long{threads} * rounds);
    EXPECT_TRUE(mutex.is_free());
}

TEST(Mutex, EveryWaiterIsWoken) {
    constexpr int waiters = 6;
    Mutex mutex;
    mutex.lock();
    std::atomic<int> through{0};
    std::vector<std::thread> team;
    for (int t = 0; t < waiters; ++t) {
        team.emplace_back([&] {
            mutex.lock();
            ++through;
            mutex.unlock();
        });
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));  // most of them sleep by now
    EXPECT_EQ(through.load(), 0);
    mutex.unlock();
    for (std::thread& thread : team) thread.join();
    EXPECT_EQ(through.load(), waiters);
}

bool somebody_sleeps(const Mutex& mutex) {
    std::uint32_t word;
    std::memcpy(&word, &mutex, sizeof word);
    return (word & 2) != 0;  // `queued` of mutex_word.hpp
}

// On one carrier: two threads come for a mutex that a third holds. Tells whether one of them sleeps as soon as both have come,
// and whether one does after many more turns.
[[noreturn]] void hold_before_two() {
    static Mutex mutex;
    static int here = 0;
    static bool early = false, late = false;
    parallel(current(), 3, true,
             {[](Thread& thread, void*, void*) {
                  if (thread.num != 0) {
                      ++here;
                      mutex.lock();
                      mutex.unlock();
                      return;
                  }
                  mutex.lock();
                  while (here < 2) fiber::yield();
                  early = somebody_sleeps(mutex);
                  for (int turn = 0; turn < 100; ++turn) fiber::yield();
                  late = somebody_sleeps(mutex);
                  mutex.unlock();
              },
              nullptr});
    std::fprintf(stderr, "early %d late %d", early, late);
    std::_Exit(0);
}

TEST(Mutex, AWaiterLetsOthersRunBeforeItSleeps) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");  // a process of its own, which reads the setting
    ::setenv("GOSSAMER_CARRIERS", "1", 1);
    EXPECT_EXIT(hold_before_two(), ::testing::ExitedWithCode(0), "early 0 late 1");
    ::unsetenv("GOSSAMER_CARRIERS");
}

TEST(MutexWord, AReleaseWakesNobodyWhileOneIsOnItsWay) {
    BasicMutexWord<> word;
    ASSERT_TRUE(word.try_take());
    const std::uint32_t prepared = word.prepare_to_sleep(false);
    EXPECT_TRUE(word.may_sleep(prepared));
    ASSERT_FALSE(word.release()) << "somebody sleeps, and none is on the way";
    EXPECT_FALSE(word.release_to(true, true));
    EXPECT_FALSE(word.may_sleep(prepared)) << "that hold is over";
    ASSERT_TRUE(word.try_take());
    EXPECT_TRUE(word.release()) << "the heir answers for the other";
    ASSERT_TRUE(word.try_take_as_heir());
    ASSERT_FALSE(word.release()) << "the other still sleeps";
    word.release_to(true, false);
    ASSERT_TRUE(word.try_take_as_heir());
    EXPECT_TRUE(word.release()) << "nobody is left";
}

TEST(MutexWord, AnHeirThatSleepsAgainIsWokenAgain) {
    BasicMutexWord<> word;
    ASSERT_TRUE(word.try_take());
    ASSERT_NE(word.prepare_to_sleep(false), 0u);
    ASSERT_FALSE(word.release());
    word.release_to(true, false);
    ASSERT_TRUE(word.try_take());
    ASSERT_NE(word.prepare_to_sleep(true), 0u);
    EXPECT_FALSE(word.release());
    word.release_to(true, false);
    EXPECT_EQ(word.prepare_to_sleep(true), 0u) << "it was free";
    EXPECT_TRUE(word.release());
}

TEST(MutexWord, AnHeirThatNeverComesIsNotWaitedForForEver) {
    BasicMutexWord<> word;
    ASSERT_TRUE(word.try_take());
    ASSERT_NE(word.prepare_to_sleep(false), 0u);
    ASSERT_FALSE(word.release());
    word.release_to(true, true);
    int holds = 0;
    do {
        ASSERT_TRUE(word.try_take());
        ASSERT_LE(++holds, 1 << 20);
    } while (word.release());
    EXPECT_GT(holds, 1);
    EXPECT_TRUE(word.release_to(false, false));
}

TEST(Critical, UnnamedSectionsAndAtomicsHaveLocksOfTheirOwn) {
    critical_enter(unnamed_critical);
    EXPECT_TRUE(unnamed_atomic.try_lock());
    unnamed_atomic.unlock();
    critical_leave(unnamed_critical);
}

}  // namespace
}  // namespace gossamer::omp
