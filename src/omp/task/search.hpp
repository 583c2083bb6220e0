// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where a thread looks for a task: its own deque, the team's shared queue, others' deques.
#pragma once

#include <cstdint>

#include "omp/task/thread_tasks.hpp"
#include "omp/thread/thread.hpp"

namespace gossamer::omp {

// From whom a thread steals: from all others; not from those that are spared (spared.hpp); from nobody.
enum class Thief : std::uint8_t { eager, sparing, none };

// What `thread` begins while it waits in its current task descends from this (§12.9): from that task; if it is untied, from its
// scope, as long as there is much stack left.
Task* constraint_of(const Thread& thread);

// Whether that lets it begin what does not descend from its current task.
inline bool waits_freely(const Thread& thread, const Task* constraint) {
    return constraint != nullptr && constraint != thread.task;
}

// A task that `thread` may execute now, taken; null: none was found. `constraint`: constraint_of; null:
// any. Never suspends.
Task* find_task(Thread& thread, Task* constraint, Thief manner = Thief::eager);

// Whether find_task would probably find something.
bool work_visible(const Thread& thread, Task* constraint, Thief manner = Thief::eager);

// The same of the team's shared queue alone.
bool work_shared(const Thread& thread, Task* constraint);

// Whether `thread`, which waits in its current task, may begin `task`, or the next part of it; maybe it is gone. Above a task that
// it need not descend from lies nothing that has descendants (docs/protocols/tasks.md).
bool fits(const Thread& thread, const Task* task, const Task* constraint, std::uint32_t most = UINT32_MAX);

// What a thief follows at most, while the owner of the task goes on.
constexpr std::uint32_t few_generations = 64;

// Whether `task` is `ancestor` or descends from it, by at most `most` generations. Of a task that is gone it returns
// anything, by memory that is a task's whatever happens.
bool descends(const Task* task, const Task* ancestor, std::uint32_t most = UINT32_MAX);

}  // namespace gossamer::omp
