// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Teams region routines (OpenMP 5.2 §18.4).
#include "abi/api/fortran.hpp"
#include "omp/omp.hpp"

using gossamer::omp::current;
using gossamer::omp::globals;

GOSSAMER_EXPORT int omp_get_num_teams() { return static_cast<int>(gossamer::omp::num_teams(current())); }
GOSSAMER_FORTRAN_ALIAS(omp_get_num_teams)

GOSSAMER_EXPORT int omp_get_team_num() { return static_cast<int>(gossamer::omp::team_num(current())); }
GOSSAMER_FORTRAN_ALIAS(omp_get_team_num)

GOSSAMER_EXPORT int omp_get_num_teams_dim(int dim) { return dim == 0 ? omp_get_num_teams() : 1; }
GOSSAMER_EXPORT int omp_get_team_num_dim(int dim) { return dim == 0 ? omp_get_team_num() : 0; }

// relaxed, below: no value depends on another. A negative value is ignored; 0 means not set.
GOSSAMER_EXPORT void omp_set_num_teams(int count) {
    if (count >= 0) globals().num_teams.store(static_cast<std::uint32_t>(count), std::memory_order_relaxed);
}
GOSSAMER_FORTRAN_INT(omp_set_num_teams)

GOSSAMER_EXPORT int omp_get_max_teams() { return static_cast<int>(globals().num_teams.load(std::memory_order_relaxed)); }
GOSSAMER_FORTRAN_ALIAS(omp_get_max_teams)

GOSSAMER_EXPORT void omp_set_teams_thread_limit(int count) {
    if (count >= 0) globals().teams_thread_limit.store(static_cast<std::uint32_t>(count), std::memory_order_relaxed);
}
GOSSAMER_FORTRAN_INT(omp_set_teams_thread_limit)

GOSSAMER_EXPORT int omp_get_teams_thread_limit() {
    return static_cast<int>(globals().teams_thread_limit.load(std::memory_order_relaxed));
}
GOSSAMER_FORTRAN_ALIAS(omp_get_teams_thread_limit)
