// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fiber/permit.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

using gossamer::fiber::Permit;

namespace {

TEST(Permit, ParkedFirst) {
    Permit permit;
    EXPECT_FALSE(permit.notified());
    EXPECT_TRUE(permit.park());
    EXPECT_FALSE(permit.notified());
    EXPECT_TRUE(permit.notify()) << "the notifier makes it ready";
    EXPECT_TRUE(permit.notified());
}

TEST(Permit, NotifiedFirst) {
    Permit permit;
    EXPECT_FALSE(permit.notify()) << "the suspending side makes it ready";
    EXPECT_TRUE(permit.notified());
    EXPECT_FALSE(permit.park());
}

TEST(Permit, ServesOneWaitAfterAnother) {
    Permit permit;
    for (int i = 0; i < 3; ++i) {
        permit.reset();
        EXPECT_FALSE(permit.notified());
        EXPECT_TRUE(permit.park());
        EXPECT_TRUE(permit.notify());
        permit.reset();
        EXPECT_FALSE(permit.notify());
        EXPECT_FALSE(permit.park());
    }
}

/// In each round exactly one side is told to make the fiber ready, and it has what the other wrote.
TEST(Permit, ExactlyOneSideMakesItReady) {
    constexpr int rounds = 20'000;
    Permit permit;
    int context = 0;
    int message = 0;
    std::atomic<int> begun{0};
    std::atomic<int> ready{0};
    std::atomic<int> wrong{0};
    std::thread notifier([&] {
        for (int round = 1; round <= rounds; ++round) {
            while (begun.load(std::memory_order_acquire) != round) std::this_thread::yield();
            message = round;
            if (!permit.notify()) continue;
            if (context != round) ++wrong;
            ready.fetch_add(1);
        }
    });
    for (int round = 1; round <= rounds; ++round) {
        permit.reset();
        begun.store(round, std::memory_order_release);
        context = round;
        if (!permit.park()) ready.fetch_add(1);
        while (ready.load() < round) std::this_thread::yield();
        if (message != round) ++wrong;
    }
    notifier.join();
    EXPECT_EQ(ready, rounds);
    EXPECT_EQ(wrong, 0);
}

}  // namespace
