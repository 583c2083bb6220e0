// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads that have nothing to do but others' tasks: how they look for one (search.hpp), sleep, and are woken (task_word.hpp).
#pragma once

#include <cstdint>

#include "omp/task/thread_tasks.hpp"
#include "omp/thread/thread.hpp"

namespace gossamer::omp {

// Executes tasks and sleeps in turn until done() is true. `tally` not null: done() is that nothing is left in it, and
// whoever completes the last one wakes the thread; otherwise somebody does by wake_task_sleeper after making done() true.
// May suspend.
void work_until(Thread& thread, Task* constraint, Tally* tally, bool (*done)(const void*), const void* argument);

template <class Done>
void work_until(Thread& thread, Task* constraint, Tally* tally, const Done& done) {
    work_until(thread, constraint, tally, [](const void* at) { return (*static_cast<const Done*>(at))(); }, &done);
}

// After a child of `parent` was pushed and TaskFences::light(); `parent` null: after something was seen, of which nothing is known.
// True: somebody searches.
bool wake_for_task(Team& team, Task* parent);

// Wakes thread `num` if it sleeps in its slot.
void wake_task_sleeper(Team& team, std::uint32_t num);
void wake_all_task_sleepers(Team& team);

// By one that gives way to what else is ready on its carrier, and is about to sleep at the barrier while tasks are active: it is
// in its slot and has passed a sequentially consistent step since. Others' tasks are left to those who come behind, and who
// pushes one finds it. False: there is one for it. Never suspends.
bool leave_tasks(Thread& thread);

// The end of a member's implicit task: it helps as long as there may be tasks, and leaves a mark by which it can be called
// back. Behind it the thread is not to be touched, only reported as finished.
void retire(Thread& thread);

// The call of Thread::helper.
void call_helper(fiber::Range& range, std::uint32_t number, fiber::Fiber& fiber);

// A thread that was woken as a searcher has something else to do.
void stop_search(Thread& thread);

// The queue of ready tasks that are in no deque; made when it is first used.
SharedQueue& shared_queue(Team& team);

// The monitor's: whether some thread sleeps that may execute only what descends from its task; and waking those that have not seen
// all that lies in the shared queue.
bool anyone_waits_in_a_task(const Team& team);
void wake_for_shared(Team& team);

// Pushes a ready task there and wakes whom it is of use to. Any thread.
void share_task(Team& team, Task& task);

}  // namespace gossamer::omp
