// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The root: a native thread that enters parallel regions, its initial thread, and the fibers that its level-1 teams keep
// from region to region (OpenMP 5.2 §1.2.2, §10.1). Every root is a contention group of its own, and so is each team of a
// league (omp/work/teams.cpp); all roots share the carriers.
#pragma once

#include <atomic>
#include <cstdint>

#include "omp/team/bound.hpp"
#include "omp/team/team.hpp"

namespace gossamer::omp {

struct Root {
    Thread initial;
    Team team;                      // the initial team, of one thread
    fiber::Fiber** crew = nullptr;  // crew[i] runs number i of each level-1 team, so threadprivate variables persist
    uint32_t crew_size = 0;         // of the fibers in `crew`, crew[0] included; 0: no region yet
    uint32_t crew_capacity = 0;
    BoundCrew bound;                // the same for teams that are bound to places
    bool owns_homes = false;        // the carriers' homes are in its crew
    std::atomic<uint32_t> busy{1};  // see Team::busy
    Root* next_spare = nullptr;     // while no native thread has it (root_stock.cpp)
};

// Brings the crew to `size` fibers, or to as many as the system grants (which is reported once). Returns how many there are,
// the root's own thread included; at least 1. Never suspends.
uint32_t muster(Root& root, uint32_t size);

// Ends all native threads of the runtime's own and gives their memory back (OpenMP 5.2 §18.6); the next region starts anew.
// False: the caller is inside a region, or other native threads have regions of their own. Never suspends; waits for the
// threads to end.
bool give_everything_back();

// The hook that the runtime's start sets (startup.cpp): the native thread of the root `argument` ends.
void native_thread_ends(void* argument);

// In the child of a fork (fork.cpp), where no fiber of a crew is left: the root has none, and no root owns the homes.
void forget_crew(Root& root);
void forget_homes_owner();

// In the child of a fork: its one native thread is the initial one, whichever thread of the parent has forked.
void forget_initial_thread();

}  // namespace gossamer::omp
