// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Nesting levels (OpenMP 5.2 §18.2.14-20), and the dimensions of teams that OpenMP 6.1 adds: teams have one dimension here.
#include "abi/api/fortran.hpp"
#include "omp/omp.hpp"

using gossamer::omp::current;
using gossamer::omp::max_levels;
using gossamer::omp::of_current;
using gossamer::omp::Thread;

GOSSAMER_EXPORT int omp_get_supported_active_levels() { return static_cast<int>(max_levels); }
GOSSAMER_FORTRAN_ALIAS(omp_get_supported_active_levels)

// A negative value is ignored, as §18.2.15 leaves to the implementation.
GOSSAMER_EXPORT void omp_set_max_active_levels(int levels) {
    if (levels >= 0) current().change_icvs().max_active_levels = static_cast<std::uint32_t>(levels);
}
GOSSAMER_FORTRAN_INT(omp_set_max_active_levels)
GOSSAMER_ALIAS(ompc_set_max_active_levels, omp_set_max_active_levels)

GOSSAMER_EXPORT int omp_get_max_active_levels() { return static_cast<int>(current().icvs().max_active_levels); }
GOSSAMER_FORTRAN_ALIAS(omp_get_max_active_levels)

GOSSAMER_EXPORT int omp_get_level() {
    return of_current([](const Thread& thread) { return static_cast<int>(thread.team->level); });
}
GOSSAMER_FORTRAN_ALIAS(omp_get_level)

GOSSAMER_EXPORT int omp_get_active_level() { return static_cast<int>(current().team->active_level); }
GOSSAMER_FORTRAN_ALIAS(omp_get_active_level)

GOSSAMER_EXPORT int omp_get_ancestor_thread_num(int level) { return gossamer::omp::ancestor_num(current(), level); }
GOSSAMER_FORTRAN_INT(omp_get_ancestor_thread_num)
GOSSAMER_ALIAS(ompc_get_ancestor_thread_num, omp_get_ancestor_thread_num)

GOSSAMER_EXPORT int omp_get_team_size(int level) { return gossamer::omp::ancestor_team_size(current(), level); }
GOSSAMER_FORTRAN_INT(omp_get_team_size)
GOSSAMER_ALIAS(ompc_get_team_size, omp_get_team_size)

// Dimension 0 is the whole team; in any other there is one team, one thread, number 0.
GOSSAMER_EXPORT int omp_get_num_threads_dim(int dim) { return dim == 0 ? static_cast<int>(current().team->size) : 1; }
GOSSAMER_EXPORT int omp_get_thread_num_dim(int dim) { return dim == 0 ? static_cast<int>(current().num) : 0; }
GOSSAMER_EXPORT int omp_get_thread_limit_dim(int dim) { return dim == 0 ? static_cast<int>(current().icvs().thread_limit) : 1; }
GOSSAMER_EXPORT int omp_get_supported_active_team_dims(int, bool) { return 1; }
GOSSAMER_EXPORT int omp_get_supported_active_team_dims_(const std::int32_t*, const std::int32_t*) { return 1; }
GOSSAMER_EXPORT int omp_get_supported_active_league_dims(int, bool) { return 1; }
GOSSAMER_EXPORT int omp_get_supported_active_league_dims_(const std::int32_t*, const std::int32_t*) { return 1; }
GOSSAMER_EXPORT int omp_get_supported_threads_dim(int, int dim) { return dim > 1 ? 1 : INT_MAX; }
GOSSAMER_EXPORT int omp_get_supported_teams_dim(int, int dim) { return dim > 1 ? 1 : INT_MAX; }
