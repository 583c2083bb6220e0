// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where a thread looks for a task: in its own deque, the team's shared queue, other threads' deques.
#pragma once

#include <cstdint>

#include "omp/task/thread_tasks.hpp"
#include "omp/thread/thread.hpp"

namespace gossamer::omp {

// Whom a thief robs: all other threads; a few of those that are not spared (spared.hpp); none.
enum class Thief : std::uint8_t { eager, sparing, none };

// How many threads' deques a sparing thief looks at while it spins, others each time; and how often a spinning thread looks for
// the end of its wait before it looks at as many deques as one. An owner whose deque others look at has to fetch its line back
// at its next push or pop. So the looks at a deque in a given time are as many in a large team as in one of two
// (docs/decisions/0036).
constexpr std::uint32_t few_victims = 4;
constexpr std::uint32_t looks_a_victim = 16;

// The task from which every task must descend that `thread` begins while it waits in its current task (§12.9): that task
// itself; if it is untied, its scope, while there is ample stack left.
Task* constraint_of(const Thread& thread);

// Whether the constraint lets the thread begin tasks that do not descend from its current task.
inline bool waits_freely(const Thread& thread, const Task* constraint) {
    return constraint != nullptr && constraint != thread.task;
}

// Takes a task that `thread` may execute now; null: none was found. `constraint`:
// constraint_of; null: any task will do. Never suspends.
Task* find_task(Thread& thread, Task* constraint, Thief manner = Thief::eager);

// Whether find_task would probably find a task.
bool work_visible(Thread& thread, Task* constraint, Thief manner = Thief::eager);

// The same for the team's shared queue alone.
bool work_shared(const Thread& thread, Task* constraint);

// Whether `thread`, which waits in its current task, may begin `task` or its next part. The task may be gone already; then the
// answer means nothing. A task with descendants is not begun above one that it does not descend from (docs/protocols/tasks.md).
bool may_begin(const Thread& thread, const Task* task, const Task* constraint, std::uint32_t most = UINT32_MAX);

// How many ancestors a thief follows at most, since the task's owner does not wait for it.
constexpr std::uint32_t few_generations = 64;

// Whether `task` is `ancestor` or descends from it by at most `most` generations. For a task that is gone the answer means
// nothing; the memory that it reads is a task's for ever (task_memory.hpp).
bool descends_from(const Task* task, const Task* ancestor, std::uint32_t most = UINT32_MAX);

}  // namespace gossamer::omp
