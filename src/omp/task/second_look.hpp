// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Second looks: why a ready task is not overlooked for long.
//
// Who pushes a task and who stops looking for tasks meet without a fence where one would cost more than the task
// (docs/protocols/tasks.md): a push that is still in its thread's store buffer may be missed by the last one to look. And who
// must give way to something else that is ready on its carrier does not look at all. Whoever might be that one leaves its team
// here. The monitor, or a carrier that is about to park, takes the teams, passes a heavy fence, and looks once more: by then
// what was pushed before is visible. A task that lies there while nobody searches goes to the shared queue, and somebody
// is woken or called back for it. A carrier that has just begun to idle looks without that fence, and leaves to the others the
// teams in which it finds nothing. Where a thief was just at a deque, and something is left in it, the team is left to the next
// look.
//
// Who waits in a task may execute only its descendants, and of another's deque sees only the oldest. What it waits for may lie under
// that, and the deque's owner be waiting in turn: for a lock that the sleeper holds, for a flag. So as long as such a thread sleeps
// and anything lies somewhere, the monitor, and it alone, comes again, and moves to the shared queue, all of which is within
// everybody's reach: the oldest of each deque, and everything of one that nobody has touched since its last look.
#pragma once

#include "fiber/fiber.hpp"
#include "omp/task/thread_tasks.hpp"

namespace gossamer::omp {

struct Team;

// By one that stops looking for tasks of `team`, or has made it active, or sleeps while something lies there. Never suspends.
void note_second_look(Team& team);

// By the monitor, or a carrier that has nothing to do: the teams that were left since. Never suspends.
void take_second_looks(fiber::Looker who);

// None is left. While no region is active.
void forget_second_looks();

}  // namespace gossamer::omp
