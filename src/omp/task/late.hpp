// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tasks: how they are generated, executed and waited for.
//
//   state      meaning                                                          next
//   (none)     generated, executed and complete within one call                 gone
//   deferred   late; a predecessor is incomplete                                ready, when the last of them
//   completes ready      late; on its thread's list, which that thread works off          running running its
//   structured block is being executed                           complete, or detached detached   late; its
//   block is over and its event is not fulfilled           complete, by whoever fulfils it
//
// Only the thread that generates tasks executes them, and only where it waits for some: taskwait, the end of
// a taskgroup, a barrier, the end of the region, taskyield. Completing may happen on any thread, OpenMP's or
// not.
#pragma once

#include <cstdint>

#include "omp/task/depend.hpp"
#include "omp/task/task.hpp"
#include "omp/task/taskgroup.hpp"
#include "omp/task/thread_tasks.hpp"

namespace gossamer::omp {

// Makes `task` a child of the current one, with its data environment (§2.4, §12.5).
void task_init(Thread& thread, Task& task, const TaskKind& kind, bool final);

// The task construct (§12.5), behind task_init: executes `task` now, or later if `undeferred` is false and
// its dependences say so; it disposes of it when it is complete. May suspend.
void task_submit(Thread& thread, Task& task, Dependences dependences, bool undeferred);

// Executes a task that is nobody's but the caller's: neither detachable nor with predecessors, and its memory
// is the caller's too. May suspend.
void task_call(Thread& thread, Task& task);

// The two halves of that for a task whose block the program calls itself; the second half disposes of it.
void task_begin(Thread& thread, Task& task);
void task_end(Thread& thread, Task& task);

// True if a task with these dependences generated now would be deferred. Never suspends.
bool task_would_wait(Thread& thread, Dependences dependences);

// Fulfils a detachable task's event (§18.11.1), once, from any thread. Never suspends.
void task_fulfil(Task& task);

// taskwait (§15.5), without and with depend clauses. May suspend.
void taskwait(Thread& thread);
void taskwait(Thread& thread, Dependences dependences);

// taskwait with depend and nowait: later tasks with dependences on the same addresses wait as if for a task
// here.
void taskwait_nowait(Thread& thread, Dependences dependences);

// taskyield (§12.7): executes a ready task, or lets other OpenMP threads run. May suspend.
void taskyield(Thread& thread);

// Waits until group.late is zero, executing what is ready. May suspend.
void wait_for_group(Thread& thread, Taskgroup& group);

} // namespace gossamer::omp
