// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The teams construct on the host (OpenMP 5.2 §10.2). The initial teams of the league run one after another, each as the
// encountering thread, which is an initial thread then: it only has to answer differently for its place in the league.
#pragma once

#include "omp/team/team.hpp"

namespace gossamer::omp {

// Runs the region once for each team of a league of `upper` teams (0: as many as nteams-var says, or one), every time
// with the ICVs the construct was met with. thread_limit 0: teams-thread-limit-var, if set. May suspend.
void teams(Thread& thread, uint32_t upper, uint32_t thread_limit, Region region);

// The same step by step, for ABIs in which the program loops: league_begin makes the caller the first team's initial
// thread; league_next the next one's, or false after the last, when it is in no league again.
void league_begin(Thread& thread, uint32_t upper, uint32_t thread_limit);
bool league_next(Thread& thread);

}  // namespace gossamer::omp
