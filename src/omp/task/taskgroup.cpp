// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "omp/task/taskgroup.hpp"

#include <cstdlib>
#include <new>

#include "omp/task/late.hpp"
#include "omp/task/task_reduction.hpp"
#include "omp/team/team.hpp"

namespace gossamer::omp {

Taskgroup& taskgroup_begin(Thread& thread) {
    fiber::scheduling_point();
    void* const memory = std::malloc(sizeof(Taskgroup));
    if (memory == nullptr)
        fatal("out of memory for a taskgroup");
    Taskgroup* const group = ::new (memory) Taskgroup;
    Task& task = *thread.task;
    group->outer = task.taskgroup;
    if (group->outer != nullptr)
        group->gnu_reductions = group->outer->gnu_reductions;
    task.taskgroup = group;
    return *group;
}

void taskgroup_end(Thread& thread) {
    fiber::scheduling_point();
    Task& task = *thread.task;
    Taskgroup* const group = task.taskgroup;
    if (group == nullptr)
        return;
    wait_for_group(thread, *group);
    if (group->reductions != nullptr)
        reduction_end_taskgroup(*group);
    task.taskgroup = group->outer;
    std::free(group);
}

} // namespace gossamer::omp
