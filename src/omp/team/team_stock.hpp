// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The memory of teams. A thief may still hold a pointer to a range of a team whose region is over, so a team's memory
// stays a team's, of the same capacity, for ever: it goes to a stock by capacity and comes back from there. The stock
// holds at most what was in use at one time (docs/protocols/ranges.md).
#pragma once

#include <cstdint>

#include "omp/team/team.hpp"

namespace gossamer::omp {

// Takes a team with descriptors for at least `size` threads, size >= 1. Null: out of memory, or more threads than any
// memory holds. The descriptors' constant fields
// (team, num, range) are set. Never suspends, as all here.
Team* take_team(uint32_t size);

// Puts a team into the stock, and the teams that its threads keep hot. No thread of it runs any more.
void give_team(Team& team);

// Gives the stock's memory back to the system. No carrier is left that could hold a pointer into it.
void free_teams();

// In the child of a fork: empties the stock, which another thread may have been changing.
void forget_teams();

}  // namespace gossamer::omp
