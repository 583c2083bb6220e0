// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "omp/icv/thread_lists.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <thread>
#include <vector>

#include "omp/icv/icv.hpp"

using namespace gossamer::omp;

namespace {

std::vector<std::uint32_t> read_list(std::uint16_t index) {
    std::vector<std::uint32_t> list;
    while (index != 0) {
        const ThreadListElement element = kept_thread_list(index);
        list.push_back(element.threads);
        index = element.next;
    }
    return list;
}

TEST(ThreadLists, KeptOnce) {
    const std::int32_t one[] = {7, 5, 3};
    const std::int32_t other[] = {7, 5};
    const std::int32_t odd[] = {0, -4};
    const std::uint16_t first = keep_thread_list(one, 3);
    EXPECT_TRUE(is_kept_thread_list(first));
    EXPECT_EQ(read_list(first), (std::vector<std::uint32_t>{7, 5, 3}));
    const std::uint16_t second = keep_thread_list(other, 2);
    EXPECT_EQ(read_list(second), (std::vector<std::uint32_t>{7, 5}));
    EXPECT_EQ(read_list(keep_thread_list(odd, 2)), (std::vector<std::uint32_t>{1, 1}));
    EXPECT_EQ(keep_thread_list(one, 3), first);
    EXPECT_EQ(keep_thread_list(other, 2), second);
    EXPECT_EQ(keep_thread_list(one, 0), 0);
}

TEST(ThreadLists, InheritedElementByElement) {
    const std::int32_t below[] = {6, 9};
    Icvs icvs = initial_icvs();
    icvs.nthreads_next = keep_thread_list(below, 2);
    icvs = inherited(icvs);
    EXPECT_EQ(icvs.nthreads, 6u);
    icvs = inherited(icvs);
    EXPECT_EQ(icvs.nthreads, 9u);
    EXPECT_EQ(icvs.nthreads_next, 0);
    EXPECT_EQ(inherited(icvs).nthreads, 9u);
}

TEST(ThreadLists, ByManyThreadsAtOnce) {
    std::vector<std::thread> threads;
    for (std::int32_t thread = 0; thread < 4; ++thread) {
        threads.emplace_back([thread] {
            for (std::int32_t i = 0; i < 2000; ++i) {
                const std::int32_t list[] = {100 + i % 10, 200 + thread % 2, 300};
                const std::uint16_t index = keep_thread_list(list, 3);
                ASSERT_NE(index, 0);
                EXPECT_EQ(read_list(index), (std::vector<std::uint32_t>{100u + static_cast<std::uint32_t>(i % 10),
                                                                        200u + static_cast<std::uint32_t>(thread % 2), 300}));
            }
        });
    }
    for (std::thread& each : threads) each.join();
}

// What is kept stays good, and what is not is said.
TEST(ThreadListsDeathTest, TooMany) {
    const auto fill = [] {
        const std::int32_t first[] = {11, 12};
        const std::uint16_t kept = keep_thread_list(first, 2);
        std::int32_t i = 0;
        while (i < 100'000) {
            const std::int32_t list[] = {1000 + i++, 2};
            if (keep_thread_list(list, 2) == 0) break;
        }
        const std::int32_t more[] = {1'000'000, 2};
        const bool good = i < 100'000 && keep_thread_list(more, 2) == 0 && keep_thread_list(first, 2) == kept;
        std::exit(good && read_list(kept) == std::vector<std::uint32_t>{11, 12} ? 0 : 1);
    };
    EXPECT_EXIT(fill(), ::testing::ExitedWithCode(0), "the lists of num_threads clauses have more than");
}

}  // namespace
