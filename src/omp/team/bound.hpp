// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Teams whose threads are bound to places (OpenMP 5.2 §10.1.3). A place is a zone of the scheduler (affinity/zones.hpp).
// Nothing of this runs unless the user names places or a binding.
#pragma once

#include <cstdint>

#include "omp/affinity/posts.hpp"
#include "omp/team/team.hpp"

namespace gossamer::omp {

struct Assignment;
struct Root;

// The place of `thread`, the caller; -1: it is not bound. Binds an initial thread that is to be bound at its first active
// region: §10.1.3 has it bound before that, and the peers bind it at the latest here.
int32_t place_num(const Thread& thread);

// Which fiber runs which number of a root's level-1 team, and which thread starts
// it. It lasts until a team has another dealing.
struct BoundCrew {
    Dealing dealing;
    uint32_t zone = 0;                 // the zone of the root's own native thread; 0: it has met no bound region yet
    Post* posts = nullptr;             // posts[0 … dealing.threads-1]
    fiber::Fiber** fibers = nullptr;   // fibers[1 … dealing.threads-1]: on which each number runs
    uint32_t homes = 1;                // one more than the numbers that run at workers' homes
    uint32_t* numbers = nullptr;       // numbers[1 … homes-1]: those numbers
    fiber::Fiber** at_home = nullptr;  // at_home[1 … homes-1]: their homes
    uint32_t capacity = 0;             // threads that the arrays have room for
};

// How a region that `thread` meets is to be bound: as its proc_bind clause says, `clause`, else as bind-var says; Bind::no: not
// at all. So it is if bind-var is false, whatever the clause says, and at a nesting level that OMP_PROC_BIND does not name,
// unless there is a clause.
Bind binding_for(const Thread& thread, Bind clause);

// Binds `team`, whose size is set, or, with Bind::no, leaves it free; the calling primary thread becomes bound too. `level_1`:
// the root's crew runs the team. True: the team's threads do not begin with what they began with last. Where there is no memory
// the team is left free.
bool bind_team(Team& team, Root& root, Bind bind, bool level_1);

// Starts threads 1 … size-1 of a bound team: of a level-1 team on the root's crew; of a nested one as a range for each zone.
void start_bound_crew(Team& team, Root& root);
void offer_bound(Team& team);

// For start_homes (member.hpp) and behind it: starts BoundCrew::numbers[at] at its home; wakes the homes that sleep.
void start_bound_home(Team& team, uint32_t at, const Assignment& all);
void wake_bound_homes(const Team& team);

// start_share (member.hpp) for a bound team; carriers are woken as each thread is queued.
void start_bound_share(Team& team, uint32_t num, const Assignment& all);

// Starts number `num` of a bound team once more, to help with explicit tasks after its implicit task is over (task/wake.cpp).
void start_bound_again(Team& team, uint32_t num, const fiber::Start& start);
void offer_bound_again(Team& team, uint32_t num, TeamRange& range);

// Gives the implicit task of a bound team's thread its place-partition-var.
void take_partition(Thread& thread);

// Binds the caller's fiber to the place of `thread`, which it runs as.
void enter_seat(const Thread& thread);

// By the primary thread at the end of the region: it is bound again as before the region.
void leave_seat(Team& team);

// Frees what the root's BoundCrew points to.
void free_bound(Root& root);

}  // namespace gossamer::omp
