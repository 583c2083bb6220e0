// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fiber/eventcount.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <semaphore>
#include <thread>
#include <vector>

using gossamer::fiber::BasicEventCount;
using gossamer::fiber::EventCount;

namespace {

template <class Idle>
void sleep(Idle& idle, unsigned carrier) {
    idle.begin_search();
    idle.announce(carrier);
}

TEST(EventCount, NobodyIsWokenWhereNobodySleeps) {
    EventCount idle;
    EXPECT_EQ(idle.publish(), EventCount::nobody);
    EXPECT_FALSE(idle.claim(3));
    EXPECT_EQ(idle.pick_one(), EventCount::nobody);
    idle.begin_search();
    EXPECT_EQ(idle.end_search(0), EventCount::nobody);
    EXPECT_EQ(idle.counts().searching(), 0U);
}

TEST(EventCount, ASleeperIsClaimedOnceAndSearchesFromThenOn) {
    EventCount idle;
    sleep(idle, 1023);
    EXPECT_EQ(idle.counts().sleeping(), 1U);
    EXPECT_EQ(idle.counts().searching(), 0U);
    EXPECT_TRUE(idle.still_asleep(1023));
    EXPECT_EQ(idle.publish(), 1023);
    EXPECT_FALSE(idle.still_asleep(1023));
    EXPECT_FALSE(idle.cancel(1023)) << "it was claimed, so it has to take its unpark";
    EXPECT_EQ(idle.publish(), EventCount::nobody) << "one carrier is on its way";
    EXPECT_EQ(idle.counts().searching(), 1U);
    EXPECT_EQ(idle.end_search(1023), EventCount::nobody);
}

TEST(EventCount, ASearcherKeepsProducersFromWaking) {
    EventCount idle;
    sleep(idle, 0);
    idle.begin_search();
    EXPECT_EQ(idle.publish(), EventCount::nobody);
    EXPECT_EQ(idle.end_search(1), 0) << "so the last searcher wakes when it stops";
}

TEST(EventCount, OnlyTheLastSearcherPassesTheDutyOn) {
    EventCount idle;
    sleep(idle, 0);
    idle.begin_search();
    idle.begin_search();
    EXPECT_EQ(idle.end_search(1), EventCount::nobody);
    EXPECT_EQ(idle.end_search(2), 0);
}

TEST(EventCount, ASleeperMayChangeItsMind) {
    EventCount idle;
    sleep(idle, 5);
    EXPECT_TRUE(idle.cancel(5));
    EXPECT_EQ(idle.counts().sleeping(), 0U);
    EXPECT_EQ(idle.counts().searching(), 1U);
    EXPECT_FALSE(idle.claim(5));
}

TEST(EventCount, ClaimReachesThatCarrierEvenPastSearchers) {
    EventCount idle;
    sleep(idle, 4);
    sleep(idle, 5);
    idle.begin_search();
    EXPECT_TRUE(idle.claim(5));
    EXPECT_FALSE(idle.claim(5));
    EXPECT_TRUE(idle.still_asleep(4));
}

TEST(EventCount, PicksNearby) {
    EventCount idle;
    for (const unsigned carrier : {3U, 70U, 90U, 700U}) sleep(idle, carrier);
    EXPECT_EQ(idle.pick_one(80), 90);
    EXPECT_EQ(idle.pick_one(80), 70);
    EXPECT_EQ(idle.pick_one(80), 700);
    EXPECT_EQ(idle.pick_one(80), 3);
    EXPECT_EQ(idle.pick_one(80), EventCount::nobody);
}

TEST(EventCount, EverySleeperOfAFullHouseIsFound) {
    EventCount idle;
    for (unsigned carrier = 0; carrier < 1024; ++carrier) sleep(idle, carrier);
    EXPECT_EQ(idle.counts().sleeping(), 1024U);
    std::vector<int> times(1024);
    for (unsigned i = 0; i < 1024; ++i) {
        const int carrier = idle.pick_one(i * 7);
        ASSERT_GE(carrier, 0);
        ++times[static_cast<unsigned>(carrier)];
    }
    for (const int each : times) ASSERT_EQ(each, 1);
    EXPECT_EQ(idle.counts().sleeping(), 0U);
}

/// Real threads that really sleep: if a wake were lost the count of work left would never come down, and the
/// test would not end.
TEST(EventCount, NoWakeIsLostAmongRealSleepers) {
    constexpr unsigned carriers = 3;
    constexpr int works = 20'000;
    BasicEventCount<carriers> idle;
    std::counting_semaphore<> unparked[carriers] = {std::counting_semaphore<>(0), std::counting_semaphore<>(0),
                                                    std::counting_semaphore<>(0)};
    std::atomic<int> queue{0};
    std::atomic<int> left{2 * works};
    std::atomic<bool> over{false};
    const auto wake = [&](int carrier) {
        if (carrier >= 0) unparked[carrier].release();
    };
    const auto take = [&] {
        int seen = queue.load(std::memory_order_relaxed);
        while (seen > 0 && !queue.compare_exchange_weak(seen, seen - 1, std::memory_order_relaxed)) {}
        return seen > 0;
    };
    std::vector<std::thread> threads;
    for (unsigned me = 0; me < carriers; ++me) {
        threads.emplace_back([&, me] {
            while (!over.load()) {
                idle.begin_search();
                while (!take() && !over.load()) {
                    idle.announce(me);
                    const bool again = queue.load(std::memory_order_relaxed) > 0 || over.load();
                    if (!again || !idle.cancel(me)) unparked[me].acquire();
                }
                wake(idle.end_search(me));
                if (!over.load()) left.fetch_sub(1);
            }
        });
    }
    std::vector<std::thread> producers;
    for (int producer = 0; producer < 2; ++producer) {
        producers.emplace_back([&] {
            for (int i = 0; i < works; ++i) {
                queue.fetch_add(1, std::memory_order_relaxed);
                wake(idle.publish());
                if (i % 64 == 0) {
                    while (queue.load() > 0) std::this_thread::yield();
                }
            }
        });
    }
    for (std::thread& producer : producers) producer.join();
    while (left.load() > 0) std::this_thread::yield();
    over = true;
    for (unsigned me = 0; me < carriers; ++me) {
        if (idle.claim(me)) wake(static_cast<int>(me));
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(queue, 0);
    EXPECT_EQ(idle.counts().sleeping(), 0U);
    EXPECT_EQ(idle.counts().searching(), 0U);
}

}  // namespace
