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

// A task that `thread` may execute now, taken; null: none was found. `constraint`: one that descends from it (§12.9); null:
// any. Never suspends.
Task* find_task(Thread& thread, Task* constraint, Thief manner = Thief::eager);

// Whether find_task would probably find something.
bool work_visible(const Thread& thread, Task* constraint, Thief manner = Thief::eager);

// The same of the team's shared queue alone.
bool work_shared(const Thread& thread, Task* constraint);

// Whether `task` is `ancestor` or descends from it, by at most `most` generations. Of a task that is gone it returns
// anything, by memory that is a task's whatever happens.
bool descends(const Task* task, const Task* ancestor, std::uint32_t most = UINT32_MAX);

}  // namespace gossamer::omp
