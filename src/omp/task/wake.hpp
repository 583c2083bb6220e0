// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Waking threads for ready tasks: those that sleep in their slots (task_word.hpp), and *bystanders*: threads that wait at the
// barrier or the join without looking for tasks, and members that have left the region. Why no wake is lost:
// docs/protocols/tasks.md. Nothing here suspends but call_helper.
#pragma once

#include <cstdint>

#include "omp/task/thread_tasks.hpp"
#include "omp/thread/thread.hpp"

namespace gossamer::omp {

// Wakes one thread for a child of `parent`, which the caller has pushed; TaskFences::light() lies behind the push. `parent`
// null: the caller has seen a task and does not know its parent. True: a thread searches for tasks, this one or another.
bool wake_for_task(Team& team, Task* parent);

// Wakes thread `num` if it sleeps in its slot.
void wake_task_sleeper(Team& team, std::uint32_t num);
void wake_all_task_sleepers(Team& team);

// For the monitor (second_look.hpp): whether some thread sleeps that may execute only descendants of its own task; and waking
// those of them that have not seen everything in the shared queue.
bool anyone_waits_in_a_task(const Team& team);
void wake_for_shared(Team& team);

// Puts a ready task into the team's shared queue and wakes a thread that may execute it. Any thread may call.
void share_task(Team& team, Task& task);

// The Range::Call of Thread::helper: runs a member that was called back to a team that is a range.
void call_helper(fiber::Range& range, std::uint32_t number, fiber::Fiber& fiber);

}  // namespace gossamer::omp
