// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The memory of teams. A thief may still hold a pointer to a range of a team whose region is over, so a team's memory
// stays a team's, of the same capacity, for ever: it goes to a stock by capacity and comes back from there. The stock
// holds at most what was in use at one time, as much again of small teams (docs/protocols/ranges.md), and what carriers may
// keep to themselves. The team of an outermost region stays with its root; that of a region inside another one lies with a
// carrier in between.
#pragma once

#include <cstdint>

#include "omp/team/team.hpp"

namespace gossamer::omp {

// Takes a team with descriptors for at least `size` threads, size >= 1. Null: out of memory, or more threads than any
// memory holds. The descriptors' constant fields
// (team, num, range) are set. Never suspends, as all here.
Team* take_team(uint32_t size);

// The team for a region inside another one, and its return when the region is over. It lies with the carrier, not with the
// thread that met the region: the next thread that meets one here finds a team whose lines are in the cache, and there are as
// many teams as regions at one time, not one for each thread that ever met one
// (docs/decisions/0027-teams-lie-with-the-carrier.md). No lock and no allocation in a repeated region.
// take_near: null where none of that capacity is at hand; the caller then calls take_team, which also takes what lies idle with
// other carriers. give_near: into the stock where the caller runs on no carrier, or on another one than took the team.
Team* take_near(uint32_t size);
void give_near(Team& team);

// Puts a team into the stock, and the teams that its threads keep hot. No thread of it runs any more.
void give_team(Team& team);

// Gives the stock's memory back to the system. No carrier is left that could hold a pointer into it.
void free_teams();

// In the child of a fork: empties the stock, which another thread may have been changing.
void forget_teams();

}  // namespace gossamer::omp
