// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a taskloop's iterations are dealt out to its tasks (OpenMP 5.2 §12.6).
#pragma once

#include <cstdint>

namespace gossamer::omp {

enum class TaskloopClause : std::uint8_t { none, grainsize, num_tasks };

// Task number t, 0 … tasks - 1, has taskloop_share(plan, t) consecutive iterations.
struct TaskloopPlan {
    std::uint64_t tasks = 0;
    std::uint64_t each = 0;   // iterations of a task,
    std::uint64_t longer = 0; // one more in the first so many,
    std::uint64_t last = 0;   // but so many in the last one
};

// For `count` iterations, at least 1, and a team of `team_size`. `value` is the clause's; 0 counts as no
// clause.
constexpr TaskloopPlan plan_taskloop(std::uint64_t count, TaskloopClause clause, std::uint64_t value,
                                     bool strict, std::uint32_t team_size) {
    TaskloopPlan plan;
    if (value == 0)
        clause = TaskloopClause::none;
    if (clause == TaskloopClause::grainsize && strict) {
        plan.tasks = count / value + (count % value != 0 ? 1 : 0);
        plan.each = value < count ? value : count;
        plan.last = count - (plan.tasks - 1) * plan.each;
        return plan;
    }
    switch (clause) {
    case TaskloopClause::none:
        plan.tasks = team_size;
        break;
    case TaskloopClause::num_tasks:
        plan.tasks = value;
        break;
    case TaskloopClause::grainsize:
        plan.tasks = count / value;
        break;
    }
    if (plan.tasks > count)
        plan.tasks = count;
    if (plan.tasks == 0)
        plan.tasks = 1;
    plan.each = count / plan.tasks;
    plan.longer = count % plan.tasks;
    plan.last = plan.each; // fewer than `tasks` are longer, so never the last one
    return plan;
}

constexpr std::uint64_t taskloop_share(const TaskloopPlan& plan, std::uint64_t task) {
    if (task == plan.tasks - 1)
        return plan.last;
    return plan.each + (task < plan.longer ? 1 : 0);
}

} // namespace gossamer::omp
