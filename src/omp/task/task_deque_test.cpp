// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a theft costs. That no item is lost or taken twice is the model's to show.
#include "omp/task/task_deque.hpp"

#include <gtest/gtest.h>

#include <csetjmp>

#include "base/base.hpp"

namespace gossamer::omp {
namespace {

struct Counted : StdAtomics {
    static inline int fences = 0;

    static void light() {}
    static void order() {}
    static void heavy() { ++fences; }
    static std::uint32_t looks() { return 4; }
    static void pause() {}
    static constexpr std::int64_t part = 8;
    static constexpr std::uint32_t pops_alone = 3;
};

class Thefts : public testing::Test {
protected:
    using Deque = BasicTaskDeque<int*, Counted, SpinLock>;

    void SetUp() override {
        Counted::fences = 0;
        for (int& item : items) deque.push(&item);
    }
    int* pop() {
        return deque.pop(0, [] {});
    }
    int* steal() {
        int* got = nullptr;
        return deque.steal(&got, 1, [](const int*) { return true; }, nullptr) == 1 ? got : nullptr;
    }

    int items[16] = {};
    Deque::Slot slots[16] = {};
    Deque deque{slots, 16, -1};
};

TEST_F(Thefts, FromAnOwnerThatDoesNotAnswerOneFenceServesForAll) {
    for (int* oldest = items; oldest < items + 4; ++oldest) EXPECT_EQ(steal(), oldest);
    EXPECT_EQ(Counted::fences, 1);
    EXPECT_EQ(pop(), items + 15);
    EXPECT_EQ(deque.take_oldest(), items + 4);
    EXPECT_EQ(steal(), items + 5);
    EXPECT_EQ(Counted::fences, 1);
    for (int* newest = items + 14; newest > items + 12; --newest) EXPECT_EQ(pop(), newest);
    EXPECT_EQ(steal(), items + 6);
    EXPECT_EQ(Counted::fences, 1);
}

TEST_F(Thefts, ATheftEndsAtTheFirstItemThatIsRefused) {
    int* got[4] = {};
    const auto all_but = [this](int refused) { return [at = items + refused](const int* item) { return item != at; }; };
    EXPECT_EQ(deque.steal(got, 4, all_but(0), nullptr), 0u);
    EXPECT_EQ(deque.steal(got, 4, all_but(2), nullptr), 2u);
    EXPECT_EQ(got[0], items);
    EXPECT_EQ(got[1], items + 1);
    EXPECT_EQ(steal(), items + 2);
    for (int* newest = items + 15; newest > items + 2; --newest) EXPECT_EQ(pop(), newest);
    EXPECT_EQ(pop(), nullptr);
}

TEST_F(Thefts, AnOwnerThatPopsAloneIsRidOfTheLock) {
    EXPECT_EQ(steal(), items);
    // Its last pop under the lock ends it, and the next theft fences again.
    for (int* newest = items + 15; newest > items + 11; --newest) EXPECT_EQ(pop(), newest);
    EXPECT_EQ(steal(), items + 1);
    EXPECT_EQ(Counted::fences, 2);
}

// The thief never comes back from its look at the oldest item, as if it were another thread's when the process forks.
TEST_F(Thefts, WhatAGoneThiefHadClaimedStaysInTheDeque) {
    static std::jmp_buf out;
    if (setjmp(out) == 0) {
        int* got = nullptr;
        const auto vanish = [](const int*) {
            if (Counted::fences != 0) std::longjmp(out, 1);
            return true;
        };
        deque.steal(&got, 1, vanish, nullptr);
        FAIL() << "it came back";
    }
    deque.forget_thieves();
    EXPECT_EQ(steal(), items);
    for (int* newest = items + 16; --newest > items;) EXPECT_EQ(pop(), newest);
    EXPECT_EQ(pop(), nullptr);
}

TEST_F(Thefts, TheLastItemIsTheOwnersOrTheThiefs) {
    EXPECT_EQ(steal(), items);
    for (int i = 0; i < 13; ++i) EXPECT_NE(pop(), nullptr);
    EXPECT_NE(steal(), nullptr);
    EXPECT_NE(steal(), nullptr);
    EXPECT_EQ(steal(), nullptr);
    EXPECT_EQ(pop(), nullptr);
    EXPECT_EQ(deque.size_hint(), 0u);
}

}  // namespace
}  // namespace gossamer::omp
