// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a task ends: it becomes complete, lets its successors begin, is counted off in its parent's tallies, and is gone with the
// last of its descendants (docs/protocols/tasks.md, "States of a task"). Nothing here suspends.
#pragma once

#include <cstddef>
#include <cstdint>

#include "omp/task/depend.hpp"
#include "omp/task/task.hpp"
#include "omp/task/task_memory.hpp"

namespace gossamer::omp {

// The size class of the block that holds a task's dependence entries, until the task is complete.
constexpr std::uint8_t entries_class(std::size_t count) { return BlockCache::class_of(count * sizeof(DependEntry)); }

// Takes a complete task out of its parent's table, and makes those ready that waited for nothing else. `thread` null: the
// caller is no thread of the task's team.
void release_successors(Thread* thread, Task& task);

// Ends a task that is cancelled before it began (§16.1).
void discard_task(Thread& thread, Task& task);

}  // namespace gossamer::omp
