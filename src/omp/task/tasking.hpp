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

// The task construct (§12.5), behind new_task: executes `task` now, or lets any thread of the team execute it later.
// `undeferred`: now, once its dependences allow it. It is disposed of when it is complete. May suspend.
void task_submit(Thread& thread, Task& task, Dependences dependences, bool undeferred);

// What a priority clause's value means for us, by max-task-priority-var: a level of SharedQueue, 0: none.
std::uint8_t task_priority(std::int32_t value);

// Frees a task that was never submitted.
void task_drop(Thread& thread, Task& task);

// Fulfils a detachable task's event (§18.11.1), once, from any thread, OpenMP's or not. Never suspends.
void task_fulfil(Task& task);

// taskwait (§15.5), without and with depend clauses. May suspend.
void taskwait(Thread& thread);
void taskwait(Thread& thread, Dependences dependences);

// taskwait with depend and nowait: later tasks with dependences on the same addresses wait as if for a task
// here.
void taskwait_nowait(Thread& thread, Dependences dependences);

// taskyield (§12.7): executes a ready task, or lets other OpenMP threads run. May suspend.
void taskyield(Thread& thread);

// Waits, executing tasks, until there are none left in `tally`, which is of the current task. May suspend.
void wait_for_tally(Thread& thread, Tally& tally);

// True if nobody would look at dependences of a task that the current one generates and that is executed at once.
inline bool dependences_matter(const Thread& thread, bool detachable) {
    const DependTable* const table = thread.task->depends;
    return detachable || (table != nullptr && table->live() != 0);
}

// Whether a task with dependences that the thread generates now had better be executed by it at once, and so with all that it has
// put off of its siblings: others have tried again and again, and what they take costs more than it is worth (spared.hpp). Those
// siblings are executed by the call, so that mostly nobody has to look for predecessors. May suspend.
GOSSAMER_NOINLINE bool keep_tasks_now(Thread& thread);
inline bool keep_tasks_if_spared(Thread& thread) {
    ThreadTasks& mine = thread.tasks;
    if (GOSSAMER_LIKELY(!mine.spared.is_left_alone())) {
        mine.keeps_on = 0;
        return false;
    }
    if (mine.keeps_on == 0) return keep_tasks_now(thread);
    --mine.keeps_on;
    return true;
}

// One more is executed because of that.
inline void count_kept(Thread& thread) {
    std::atomic<std::uint32_t>& kept = thread.tasks.kept;
    kept.store(kept.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);  // only its own thread writes it
}

// Whether a task with dependences, and without other clauses, that the thread generates now needs nothing but its call, as an
// uncounted one, which follows. May suspend.
GOSSAMER_INLINE bool call_is_enough(Thread& thread) {
    if (!nothing_watches_tasks()) return false;
    const bool alone = executes_at_once(thread);
    if ((!alone && !keep_tasks_if_spared(thread)) || dependences_matter(thread, false)) return false;
    if (!alone) count_kept(thread);
    return true;
}

// Whether a task that the calling thread generates now in `parent`, with these dependences, waits for nobody.
bool lets_begin(const Task& parent, Dependences dependences);

// What the other rooms of tasks share.

// Makes a ready task one that other threads find. `thread` null: the caller is none of the team's. Whoever calls holds
// something that keeps the task's parent.
void make_task_ready(Thread* thread, Task& task);

}  // namespace gossamer::omp
