// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The teams construct on the host (OpenMP 5.2 §10.2). The initial teams of a league run side by side on the carriers, each
// begun by an initial thread of its own; where no further threads may be had the encountering thread runs them one after
// another.
#pragma once

#include "omp/team/team.hpp"

namespace gossamer::omp {

// Runs the region once for each team of a league of `upper` teams (0: as many as nteams-var says, or one), every time
// with the ICVs the construct was met with. thread_limit 0: teams-thread-limit-var, if set. May suspend.
void teams(Thread& thread, uint32_t upper, uint32_t thread_limit, Region region);

// The same step by step, for ABIs in which the program loops, so that the caller runs all teams: league_begin makes it the
// first team's initial thread; league_next makes it the next team's, or returns false after the last team, when the caller is
// in no league any more.
void league_begin(Thread& thread, uint32_t upper, uint32_t thread_limit);
bool league_next(Thread& thread);

}  // namespace gossamer::omp
