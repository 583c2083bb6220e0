// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fiber/deque.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

using gossamer::fiber::Deque;

namespace {

TEST(Deque, OwnerTakesTheNewestThievesTheOldest) {
    int item[4];
    Deque<int*> deque;
    EXPECT_EQ(deque.pop(), nullptr);
    EXPECT_EQ(deque.steal(), nullptr);
    EXPECT_EQ(deque.peek(), nullptr);
    for (int& each : item) ASSERT_TRUE(deque.push(&each));
    EXPECT_EQ(deque.size_hint(), 4U);
    EXPECT_EQ(deque.peek(), &item[3]);
    EXPECT_EQ(deque.pop(), &item[3]);
    EXPECT_EQ(deque.steal(), &item[0]);
    EXPECT_EQ(deque.pop(), &item[2]);
    EXPECT_EQ(deque.steal(), &item[1]);
    EXPECT_EQ(deque.pop(), nullptr);
    EXPECT_EQ(deque.steal(), nullptr);
    EXPECT_TRUE(deque.empty_hint());
}

TEST(Deque, WhatWasPeekedAtTheTopIsRemovedOnce) {
    int item[2];
    Deque<int*> deque;
    EXPECT_EQ(deque.peek_top().item, nullptr);
    for (int& each : item) ASSERT_TRUE(deque.push(&each));
    const auto first = deque.peek_top();
    EXPECT_EQ(first.item, &item[0]);
    EXPECT_EQ(deque.peek_top().item, &item[0]);
    EXPECT_TRUE(deque.remove_top(first));
    EXPECT_FALSE(deque.remove_top(first));
    const auto second = deque.peek_top();
    EXPECT_EQ(second.item, &item[1]);
    EXPECT_EQ(deque.pop(), &item[1]);
    ASSERT_TRUE(deque.push(&item[1]));
    EXPECT_FALSE(deque.remove_top(second)) << "the same item in the same slot, but at another index";
    EXPECT_EQ(deque.pop(), &item[1]);
}

TEST(Deque, GrowsAndWrapsWithItemsInIt) {
    std::vector<int> item(10'000);
    Deque<int*, gossamer::StdAtomics, 1> deque;
    std::size_t next_out = 0;
    std::size_t next_in = 0;
    while (next_in < item.size()) {
        for (int i = 0; i < 3 && next_in < item.size(); ++i) ASSERT_TRUE(deque.push(&item[next_in++]));
        ASSERT_EQ(deque.steal(), &item[next_out++]);
    }
    while (next_in > next_out) ASSERT_EQ(deque.pop(), &item[--next_in]);
    EXPECT_EQ(deque.pop(), nullptr);
}

TEST(Deque, HoldsWordsAsWellAsPointers) {
    Deque<std::uintptr_t> deque;
    ASSERT_TRUE(deque.push(7));
    EXPECT_EQ(deque.pop(), 7U);
    EXPECT_EQ(deque.pop(), 0U);
}

/// Each of `total` items is taken once, by an owner that pushes and pops in bursts and by thieves of both
/// kinds.
TEST(Deque, UnderThievesEachItemIsTakenOnce) {
    constexpr int total = 200'000;
    struct Item {
        int number;
        std::atomic<int> taken{0};
    };
    std::vector<Item> item(total);
    Deque<Item*, gossamer::StdAtomics, 2> deque;
    std::atomic<bool> over{false};
    std::atomic<int> wrong{0};
    const auto take = [&](Item* got) {
        if (got != nullptr && (got->number != got - item.data() || got->taken.fetch_add(1) != 0)) ++wrong;
    };
    std::vector<std::thread> thieves;
    for (int kind = 0; kind < 3; ++kind) {
        thieves.emplace_back([&, kind] {
            while (!over.load() || !deque.empty_hint()) {
                if (kind == 0) {
                    take(deque.steal());
                } else if (kind == 1) {
                    bool lost;
                    take(deque.try_steal(lost));
                } else if (const auto seen = deque.peek_top(); seen.item != nullptr && deque.remove_top(seen)) {
                    take(seen.item);
                }
            }
        });
    }
    for (int next = 0; next < total;) {
        for (int burst = next % 37 + 1; burst > 0 && next < total; --burst, ++next) {
            item[next].number = next;
            ASSERT_TRUE(deque.push(&item[next]));
        }
        for (int burst = next % 31; burst > 0; --burst) {
            Item* const seen = deque.peek();
            Item* const got = deque.pop();
            if (got != nullptr && got != seen) ++wrong;
            take(got);
        }
    }
    while (Item* const left = deque.pop()) take(left);
    over = true;
    for (std::thread& thief : thieves) thief.join();
    EXPECT_EQ(wrong, 0);
    for (const Item& each : item) ASSERT_EQ(each.taken, 1);
}

}  // namespace
