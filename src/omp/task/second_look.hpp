// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Second looks: why a ready task is not overlooked for long.
//
// A thread that pushes a task and a thread that stops looking for tasks meet without a fence, because one would cost more than
// the task (docs/protocols/tasks.md). So the last thread to look may miss a push that is still in the pusher's store buffer;
// and a thread that gives way to other work on its carrier does not look at all. Each of these requests a look at its team. The
// monitor, or a carrier that is about to park, takes the requests, passes a heavy fence, and looks: by then the push is
// visible. If a task lies in a deque and no thread searches, the task goes to the shared queue, and a thread is woken or called
// back for it. A carrier that has just begun to idle looks without that fence, and requests another look at the teams in which
// it finds nothing. So does any look that finds a deque locked by a thief and not empty.
//
// A thread that waits in a task may execute only that task's descendants, and sees only the oldest task of another thread's
// deque. What it waits for may lie beneath that, while the deque's owner waits in turn, for a lock that the sleeper holds or
// for a flag. So while such a thread sleeps and any task lies anywhere, the monitor alone looks, again and again, and moves
// tasks to the shared queue, of which every thread sees all: the oldest of each deque, and everything in a deque that has not
// changed since its last look.
//
// Where a task is known to lie, the monitor looks within some milliseconds. Against a miss, which is rare, it is enough that it
// looks within some tens: its looks cost programs of coarse tasks one to three per cent of their time otherwise.
#pragma once

#include "fiber/fiber.hpp"
#include "omp/task/thread_tasks.hpp"

namespace gossamer::omp {

struct Team;

enum class SecondLook : std::uint8_t {
    later,  // a task may have been missed
    soon,   // a task lies there
};

// For a thread that stops looking for tasks of `team`, has made it active, or falls asleep while a task lies there. A full
// fence (seq_cst). Never suspends.
void request_second_look(Team& team, SecondLook when);

// Carries out the requests, for the monitor or a carrier that has nothing to do. False: there were none. Never suspends.
bool take_second_looks(fiber::Looker who);

// Drops all requests. While no region is active.
void forget_second_looks();

}  // namespace gossamer::omp
