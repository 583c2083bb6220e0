// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Teams whose threads are bound to places (OpenMP 5.2 §10.1.3). A place is a zone of the scheduler; the zone's number is
// the place's plus one. Nothing of this runs, or is set up, unless the user names places or a binding.
#pragma once

#include <cstdint>

#include "omp/affinity/posts.hpp"
#include "omp/team/team.hpp"

namespace gossamer::omp {

struct Root;

// Fills in what the scheduler needs to know of places; leaves it as it is where nothing is to be bound. `carriers` becomes
// no more than the places have processors.
void configure_zones(fiber::Config& config, const GlobalIcvs& icvs);

// The place of the OpenMP thread that runs this; -1: it is not bound.
inline int32_t place_num() { return static_cast<int32_t>(fiber::zone()) - 1; }

// Which fiber runs which number of a root's level-1 team while the dealing stays as it is, and who starts it.
struct BoundCrew {
    Dealing dealing;
    uint32_t zone = 0;                 // where the root's own native thread is bound; 0: it has met no bound region yet
    Post* posts = nullptr;             // posts[0 … dealing.threads-1]
    fiber::Fiber** fibers = nullptr;   // fibers[1 … dealing.threads-1]
    uint32_t homes = 1;                // so many, less one, run at workers' homes:
    uint32_t* numbers = nullptr;       // their numbers, numbers[1 … homes-1],
    fiber::Fiber** at_home = nullptr;  // and the homes
    uint32_t capacity = 0;
};

// How a region that `thread` meets is to be bound: its clause's way, `clause`, else bind-var's; Bind::no: not at all.
// bind-var false means so whatever the clause says; a nesting level that OMP_PROC_BIND does not name is not bound either
// unless by a clause.
Bind binding_for(const Thread& thread, Bind clause);

// Binds `team`, whose size is set, or, with Bind::no, leaves it free; the caller becomes bound if it is to be. `level_1`: by the
// root's crew. True: what the team's threads begin with is not what it was. Where there is no memory the team is left free.
bool bind_team(Team& team, Root& root, Bind bind, bool level_1);

// Lets threads 1 … of a bound team run.
void start_bound_crew(Team& team, Root& root);
void offer_bound(Team& team);

// As start_share; whoever sleeps is woken as each of them is queued.
void start_bound_share(Team& team, uint32_t num, uint32_t epoch);

// The same for one thread of a bound team that has finished its implicit task and is to help with others' explicit tasks.
void start_bound_again(Team& team, uint32_t num, const fiber::Start& start);
void offer_bound_again(Team& team, uint32_t num, TeamRange& range);

// Gives the implicit task of a bound team's thread its place-partition-var.
void take_partition(Thread& thread);

// Binds the caller's fiber to the place of `thread`, which it runs as.
void enter_seat(const Thread& thread);

// At the end of the region, by the primary thread.
void leave_seat(Team& team);

void dismiss_bound(Root& root);

}  // namespace gossamer::omp
