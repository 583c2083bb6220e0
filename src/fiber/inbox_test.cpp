// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fiber/inbox.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

using gossamer::fiber::Inbox;
using gossamer::fiber::Link;

namespace {

TEST(Inbox, TakesEverythingAtOnce) {
    Inbox inbox;
    Link link[3];
    EXPECT_EQ(inbox.take_all(), nullptr);
    EXPECT_TRUE(inbox.push(&link[0]));
    EXPECT_FALSE(inbox.push(&link[1]));
    EXPECT_FALSE(inbox.push(&link[2]));
    EXPECT_FALSE(inbox.empty_hint());
    Link* list = inbox.take_all();
    EXPECT_TRUE(inbox.empty_hint());
    EXPECT_EQ(list, &link[2]);
    list = Inbox::oldest_first(list);
    EXPECT_EQ(list, &link[0]);
    EXPECT_EQ(list->next, &link[1]);
    EXPECT_EQ(list->next->next, &link[2]);
    EXPECT_EQ(link[2].next, nullptr);
    EXPECT_EQ(Inbox::oldest_first(nullptr), nullptr);
    EXPECT_TRUE(inbox.push(&link[1])) << "what was taken may be sent again";
}

TEST(Inbox, UnderManySendersNothingIsLostOrReordered) {
    constexpr int senders = 3;
    constexpr int each = 50'000;
    struct Message : Link {
        int sender = 0;
        int number = 0;
    };
    std::vector<Message> message(senders * each);
    Inbox inbox;
    std::atomic<int> told_empty{0};
    std::vector<std::thread> threads;
    for (int sender = 0; sender < senders; ++sender) {
        threads.emplace_back([&, sender] {
            for (int number = 0; number < each; ++number) {
                Message& mine = message[sender * each + number];
                mine.sender = sender;
                mine.number = number;
                told_empty += inbox.push(&mine);
            }
        });
    }
    int expected[senders] = {};
    int lists = 0;
    for (int taken = 0; taken < senders * each;) {
        Link* list = inbox.take_all();
        if (list == nullptr) {
            std::this_thread::yield();
            continue;
        }
        ++lists;
        for (list = Inbox::oldest_first(list); list != nullptr; list = list->next, ++taken) {
            const auto& got = static_cast<const Message&>(*list);
            ASSERT_EQ(got.number, expected[got.sender]++);
        }
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(told_empty, lists) << "one sender a list found the inbox empty";
}

}  // namespace
