// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "omp/task/taskloop.hpp"

#include <gtest/gtest.h>

namespace gossamer::omp {
namespace {

std::uint64_t total(const TaskloopPlan& plan) {
    std::uint64_t sum = 0;
    for (std::uint64_t task = 0; task < plan.tasks; ++task) {
        EXPECT_GE(taskloop_share(plan, task), 1u);
        EXPECT_EQ(taskloop_before(plan, task), sum);
        sum += taskloop_share(plan, task);
    }
    return sum;
}

TEST(Taskloop, EveryIterationBelongsToOneTask) {
    for (std::uint64_t count = 1; count <= 40; ++count) {
        for (std::uint64_t value = 0; value <= 45; ++value) {
            for (const TaskloopClause clause : {TaskloopClause::none, TaskloopClause::grainsize, TaskloopClause::num_tasks}) {
                for (const bool strict : {false, true}) {
                    EXPECT_EQ(total(plan_taskloop(count, clause, value, strict, 3)), count)
                        << count << " " << int(clause) << " " << value << " " << strict;
                }
            }
        }
    }
}

// §12.6.1: at least the grain size and less than twice of it, where there are so many iterations at all.
TEST(Taskloop, GrainsizeBoundsEachTask) {
    for (std::uint64_t count = 1; count <= 60; ++count) {
        for (std::uint64_t grain = 1; grain <= 65; ++grain) {
            const TaskloopPlan plan = plan_taskloop(count, TaskloopClause::grainsize, grain, false, 4);
            for (std::uint64_t task = 0; task < plan.tasks; ++task) {
                EXPECT_GE(taskloop_share(plan, task), grain < count ? grain : count);
                EXPECT_LT(taskloop_share(plan, task), 2 * grain);
            }
        }
    }
}

TEST(Taskloop, StrictGrainsizeIsExactButForTheLastTask) {
    for (std::uint64_t count = 1; count <= 60; ++count) {
        for (std::uint64_t grain = 1; grain <= 65; ++grain) {
            const TaskloopPlan plan = plan_taskloop(count, TaskloopClause::grainsize, grain, true, 4);
            for (std::uint64_t task = 0; task + 1 < plan.tasks; ++task) EXPECT_EQ(taskloop_share(plan, task), grain);
            EXPECT_LE(taskloop_share(plan, plan.tasks - 1), grain);
        }
    }
}

TEST(Taskloop, NumTasksAreAsManyAsThereAreIterationsFor) {
    EXPECT_EQ(plan_taskloop(100, TaskloopClause::num_tasks, 7, false, 4).tasks, 7u);
    EXPECT_EQ(plan_taskloop(100, TaskloopClause::num_tasks, 7, true, 4).tasks, 7u);
    EXPECT_EQ(plan_taskloop(5, TaskloopClause::num_tasks, 7, false, 4).tasks, 5u);
    EXPECT_EQ(plan_taskloop(5, TaskloopClause::none, 0, false, 4).tasks, 4u);
}

TEST(Taskloop, TheLongestLoop) {
    const TaskloopPlan plan = plan_taskloop(UINT64_MAX, TaskloopClause::grainsize, UINT64_MAX / 2, true, 4);
    EXPECT_EQ(plan.tasks, 3u);
    EXPECT_EQ(taskloop_share(plan, 2), 1u);
    EXPECT_EQ(total(plan_taskloop(UINT64_MAX, TaskloopClause::num_tasks, 10, false, 4)), UINT64_MAX);
}

}  // namespace
}  // namespace gossamer::omp
