// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/base.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

namespace gossamer {
namespace {

TEST(Bits, Aligns) {
    EXPECT_EQ(align_up(13u, 8u), 16u);
    EXPECT_EQ(align_up(16u, 8u), 16u);
    EXPECT_EQ(align_down(15u, 8u), 8u);
    EXPECT_EQ(align_up(reinterpret_cast<void*>(4097), 4096), reinterpret_cast<void*>(8192));
    EXPECT_EQ(align_down(reinterpret_cast<void*>(4097), 4096), reinterpret_cast<void*>(4096));
    EXPECT_TRUE(is_pow2(64u));
    EXPECT_FALSE(is_pow2(0u));
    EXPECT_FALSE(is_pow2(96u));
    EXPECT_FALSE(is_pow2(-2));
}

std::string caught_output(void (*speak)()) {
    testing::internal::CaptureStderr();
    speak();
    return testing::internal::GetCapturedStderr();
}

TEST(Say, WritesOneLine) {
    errno = 42;
    EXPECT_EQ(caught_output([] { say("%s=%d", "OMP_NUM_THREADS", 7); }), "gossamer: OMP_NUM_THREADS=7\n");
    EXPECT_EQ(errno, 42);
}

TEST(Say, CutsALongLine) {
    std::string line = caught_output([] { say("%s", std::string(5000, 'x').c_str()); });
    EXPECT_EQ(line.size(), 1024u);
    EXPECT_EQ(line.back(), '\n');
    EXPECT_EQ(line.find('\n'), line.size() - 1);
}

TEST(Say, OnceOnly) {
    static std::atomic<bool> said;
    said = false;
    EXPECT_EQ(caught_output([] {
                  EXPECT_TRUE(say_once(said, "only %d", 1));
                  EXPECT_FALSE(say_once(said, "only %d", 2));
              }),
              "gossamer: only 1\n");
}

TEST(FatalDeathTest, NamesItselfAndAborts) {
    EXPECT_EXIT(fatal("no %s left", "carriers"), testing::KilledBySignal(SIGABRT), "^gossamer: fatal: no carriers left\n");
    EXPECT_EXIT(GOSSAMER_CHECK(1 + 1 == 3, "sums are wrong"), testing::KilledBySignal(SIGABRT),
                "gossamer: fatal: sums are wrong\n");
    GOSSAMER_CHECK(1 + 1 == 2, "sums are wrong");
}

TEST(Random, RepeatsForTheSameSeed) {
    Random left(5);
    Random right(5);
    Random other(6);
    int equal_to_other = 0;
    for (int i = 0; i < 1000; ++i) {
        std::uint64_t value = left.next();
        EXPECT_EQ(value, right.next());
        equal_to_other += value == other.next();
    }
    EXPECT_EQ(equal_to_other, 0);
}

TEST(Random, CoversItsBoundEvenly) {
    for (std::uint64_t seed : {0ull, 1ull, 2ull, ~0ull}) {
        Random random(seed);
        std::vector<int> hits(7);
        for (int i = 0; i < 70000; ++i) ++hits.at(random.below(7));
        for (int count : hits) {
            EXPECT_GT(count, 9000);
            EXPECT_LT(count, 11000);
        }
    }
}

TEST(SpinLock, KeepsOthersOut) {
    SpinLock lock;
    EXPECT_TRUE(lock.try_lock());
    EXPECT_FALSE(lock.try_lock());
    lock.unlock();

    constexpr int rounds = 20000;
    long counter = 0;
    auto work = [&] {
        for (int i = 0; i < rounds; ++i) {
            SpinGuard guard(lock, std::this_thread::yield);
            ++counter;
        }
    };
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; ++i) threads.emplace_back(work);
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(counter, 3L * rounds);
}

}  // namespace
}  // namespace gossamer
