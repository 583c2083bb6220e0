// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "omp/task/taskgroup.hpp"

#include <new>

#include "omp/task/task_reduction.hpp"
#include "omp/task/tasking.hpp"
#include "omp/team/team.hpp"

namespace gossamer::omp {

Taskgroup& taskgroup_begin(Thread& thread) {
    fiber::scheduling_point();
    Taskgroup* const group = ::new (thread.tasks.blocks.take(BlockCache::class_of(sizeof(Taskgroup)))) Taskgroup;
    Task& task = *thread.task;
    group->outer = task.taskgroup;
    group->owner = &task;
    if (group->outer != nullptr) group->gnu_reductions = group->outer->gnu_reductions;
    task.taskgroup = group;
    return *group;
}

void taskgroup_end(Thread& thread) {
    fiber::scheduling_point();
    Task& task = *thread.task;
    Taskgroup* const group = task.taskgroup;
    if (group == nullptr) return;
    if (GOSSAMER_UNLIKELY(!execute_own(thread, task, group->family, task.floor))) wait_for_tally(thread, group->family);
    if (group->reductions != nullptr) reduction_end_taskgroup(*group);
    task.taskgroup = group->outer;
    thread.tasks.blocks.give(BlockCache::class_of(sizeof(Taskgroup)), group);
}

}  // namespace gossamer::omp
