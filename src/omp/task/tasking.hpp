// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tasks: how they are generated, executed and waited for (docs/protocols/tasks.md).
#pragma once

#include <cstddef>
#include <cstdint>

#include "omp/task/depend.hpp"
#include "omp/task/plain.hpp"
#include "omp/task/task.hpp"
#include "omp/task/taskgroup.hpp"
#include "omp/team/team.hpp"
#include "omp/thread/thread.hpp"

namespace gossamer::omp {

// The task construct (§12.5), after new_task: executes `task` now, or lets any thread of the team execute it later.
// `undeferred`: executes it now, once its dependences allow it. The task is disposed of when it is gone. May suspend.
void task_submit(Thread& thread, Task& task, Dependences dependences, bool undeferred);

// The level of SharedQueue that stands for a priority clause's value, by max-task-priority-var; 0: no priority.
std::uint8_t task_priority(std::int32_t value);

// Frees a task that was never submitted.
void task_drop(Thread& thread, Task& task);

// Fulfils a detachable task's event (§18.11.1), once, by any thread, be it an OpenMP thread or not. Never suspends.
void task_fulfil(Task& task);

// taskwait (§15.5), without and with depend clauses. May suspend.
void taskwait(Thread& thread);
void taskwait(Thread& thread, Dependences dependences);

// taskwait with depend and nowait: later tasks with dependences on the same
// addresses wait as if for an empty task. May suspend.
void taskwait_nowait(Thread& thread, Dependences dependences);

// taskyield (§12.7): executes a ready task, or lets other OpenMP threads run. May suspend.
void taskyield(Thread& thread);

// Executes tasks until none is left in `tally`, which belongs to the current task. May suspend.
void wait_for_tally(Thread& thread, Tally& tally);

// Whether the dependences of a task that is generated now and executed at once have any effect: it may have to wait, or
// outlives its construct.
inline bool dependences_matter(const Thread& thread, bool detachable) {
    const DependTable* const table = thread.task->depends;
    return detachable || (table != nullptr && table->live() != 0);
}

// Whether the thread had better execute at once a task with dependences that it generates now, and the siblings that it has
// deferred: thieves have tried again and again, and what they take costs more than it is worth (spared.hpp). The call executes
// those siblings, so that mostly no dependence has to be entered. May suspend.
GOSSAMER_NOINLINE bool keep_tasks_now(Thread& thread);
inline bool keep_tasks_if_spared(Thread& thread) {
    ThreadTasks& mine = thread.tasks;
    if (GOSSAMER_LIKELY(!mine.spared.is_left_alone())) {
        mine.keeps_unasked = 0;
        return false;
    }
    if (mine.keeps_unasked == 0) return keep_tasks_now(thread);
    --mine.keeps_unasked;
    return true;
}

// Counts a task that is executed at once because of that.
inline void count_kept(Thread& thread) {
    std::atomic<std::uint32_t>& kept = thread.tasks.kept;
    kept.store(kept.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);  // only its own thread writes it
}

// Whether a task with dependences and without other clauses, which the thread generates now, needs nothing but to be executed
// at once, uncounted. If so, the caller has to do that. May suspend.
GOSSAMER_INLINE bool call_is_enough(Thread& thread) {
    if (!nothing_watches_tasks()) return false;
    const bool alone = executes_at_once(thread);
    if ((!alone && !keep_tasks_if_spared(thread)) || dependences_matter(thread, false)) return false;
    if (!alone) count_kept(thread);
    return true;
}

// Whether a task with these dependences, which the calling thread generates now in `parent`, has to wait for no other.
bool lets_begin(const Task& parent, Dependences dependences);

// Puts a ready task where threads of its team find it. `thread` null: the caller is none of the team's. The task's parent must
// last for the call. Never suspends.
void make_task_ready(Thread* thread, Task& task);

}  // namespace gossamer::omp
