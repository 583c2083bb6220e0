// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "omp/team/fork_tree.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace gossamer::omp {
namespace {

std::vector<std::uint32_t> children_of(std::uint32_t num, std::uint32_t count) {
    std::vector<std::uint32_t> children;
    const bool any = for_each_child(num, count, [&](std::uint32_t child) { children.push_back(child); });
    EXPECT_EQ(any, !children.empty());
    return children;
}

TEST(ForkTree, EachNumberIsStartedOnceByALowerOne) {
    for (std::uint32_t count = 1; count < 300; ++count) {
        std::vector<int> starts(count);
        for (std::uint32_t num = 0; num < count; ++num) {
            const std::vector<std::uint32_t> children = children_of(num, count);
            EXPECT_TRUE(std::is_sorted(children.begin(), children.end()));
            for (const std::uint32_t child : children) {
                ASSERT_GT(child, num);
                ASSERT_LT(child, count);
                ++starts[child];
            }
        }
        EXPECT_EQ(starts[0], 0);
        EXPECT_TRUE(std::all_of(starts.begin() + 1, starts.end(), [](int each) { return each == 1; })) << count;
    }
}

TEST(ForkTree, ASmallerTreeIsTheBeginningOfALargerOne) {
    for (std::uint32_t num = 0; num < 50; ++num) {
        std::vector<std::uint32_t> children = children_of(num, 1000);
        std::erase_if(children, [](std::uint32_t child) { return child >= 64; });
        EXPECT_EQ(children, children_of(num, 64));
    }
}

// A starter starts one number in each step, and who is started begins to start others two steps later.
TEST(ForkTree, NumbersAreStartedInOrder) {
    constexpr std::uint32_t count = 1000;
    std::vector<std::uint32_t> step(count);
    for (std::uint32_t num = 0; num < count; ++num) {
        std::uint32_t free = num == 0 ? 1 : step[num] + 2;
        for (const std::uint32_t child : children_of(num, count)) step[child] = free++;
    }
    EXPECT_TRUE(std::is_sorted(step.begin(), step.end()));
    EXPECT_EQ(step[15], 6u);
    EXPECT_EQ(step[127], 10u);
}

}  // namespace
}  // namespace gossamer::omp
