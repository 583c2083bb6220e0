// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads that have nothing to do but other threads' tasks: how they look for one (search.hpp), sleep, and leave the region.
// How they are woken: wake.hpp.
#pragma once

#include <cstdint>

#include "omp/task/thread_tasks.hpp"
#include "omp/thread/thread.hpp"

namespace gossamer::omp {

// Executes tasks and sleeps in turn until done() is true. `constraint`: of the tasks that it may execute (search.hpp). `tally`
// not null: done() says that nothing is left in it, and the thread that counts off the last task wakes this one; null: a thread
// that makes done() true calls wake_task_sleeper afterwards. May suspend.
void work_until(Thread& thread, Task* constraint, Tally* tally, bool (*done)(const void*), const void* argument);

template <class Done>
void work_until(Thread& thread, Task* constraint, Tally* tally, const Done& done) {
    work_until(thread, constraint, tally, [](const void* at) { return (*static_cast<const Done*>(at))(); }, &done);
}

// Ends the search of a thread that was woken as a searcher and has something else to do. Never suspends.
void stop_search(Thread& thread);

// For a thread that gives way to other work on its carrier and is about to sleep at the barrier while tasks are active. It has
// left itself in its slot and passed a sequentially consistent step since. Leaves tasks to the threads behind it, and itself as
// a bystander (wake.hpp) for later pushes. False: a task waits in the shared queue, and the thread should stay. Never suspends.
bool leave_tasks(Thread& thread);

// The end of a member's implicit task: it executes tasks as long as there may be more, and leaves a mark by which call_back
// (wake.cpp) can have it help again. From then on the thread must not be touched, only reported as finished. May suspend.
void retire(Thread& thread);

}  // namespace gossamer::omp
