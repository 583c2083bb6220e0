// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How one thread of a team runs its part of the region, however it was started.
#pragma once

#include <cstdint>

#include "omp/team/bound.hpp"
#include "omp/team/team.hpp"

namespace gossamer::omp {

// A range's functions: number `number` as a plain call; `count` numbers are finished; the range that `lo` keeps.
void call_member(fiber::Range& range, uint32_t number, fiber::Fiber& me);
void members_done(fiber::Range& range, uint32_t count);
fiber::Range& part_of_team(fiber::Range& range, uint32_t lo);

// On a fiber of a root's crew; `argument` is the Thread.
void start_member(void* argument);

// What starts number `num` on its fiber of the crew. `epoch` is the team's, whose line is the primary thread's alone.
inline fiber::Start start_of(Team& team, uint32_t num, bool apart, uint32_t epoch) {
    return {start_member, &team.threads[num], &team.relief, apart, epoch};
}

// In a team that is dealt, number n falls to number n % homes, or, if it is bound, to one in its own place; that is a home or the
// primary thread: it starts n, on its own carrier, and a home comes back only when all that fell to it has finished. So a region
// of any width moves one line to each carrier and back. True: some are queued, and the caller has yet to wake carriers for them.
bool start_share(Team& team, uint32_t num, uint32_t epoch);

// Gives a thread's implicit task what it begins with. One that has run a region of this team before, and has left all that
// as it was, needs none of it: `begun_as` tells.
GOSSAMER_NOINLINE void renew_member(Thread& thread);

// Makes the caller's fiber run as `thread`, at the start of its implicit task. `epoch` is its team's.
inline void begin_member(Thread& thread, fiber::Fiber& fiber, uint32_t epoch) {
    thread.fiber = &fiber;
    thread.epoch = epoch;
    fiber.local = &thread;
    if (GOSSAMER_UNLIKELY(thread.begun_as != thread.team->begins_as)) renew_member(thread);
}

// Reports `count` threads of the team as finished, which run neither on a home nor on a home's behalf. The team is not touched
// afterwards unless they were the last, and then only to wake the primary thread.
void finish_members(Team& team, uint32_t count);

// How many threads have not come to the end of the region, or are back in it: a hint.
uint32_t members_at_work(const Team& team);

}  // namespace gossamer::omp
