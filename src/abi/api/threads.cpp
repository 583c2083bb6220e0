// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Thread team routines (OpenMP 5.2 §18.2.1-10, §18.2.13) and tasking routines (§18.5).
#include "abi/api/fortran.hpp"
#include "omp/omp.hpp"

using gossamer::omp::current;
using gossamer::omp::globals;
using gossamer::omp::max_levels;
using gossamer::omp::of_current;
using gossamer::omp::Thread;

GOSSAMER_EXPORT void omp_set_num_threads(int count) {
    current().change_icvs().nthreads = count > 0 ? static_cast<std::uint32_t>(count) : 1;
}
GOSSAMER_FORTRAN_INT(omp_set_num_threads)
GOSSAMER_ALIAS(ompc_set_num_threads, omp_set_num_threads)

GOSSAMER_EXPORT int omp_get_num_threads() {
    return of_current([](const Thread& thread) { return static_cast<int>(thread.team->size); });
}
GOSSAMER_FORTRAN_ALIAS(omp_get_num_threads)

GOSSAMER_EXPORT int omp_get_max_threads() {
    return of_current([](const Thread& thread) { return static_cast<int>(thread.icvs().nthreads); });
}
GOSSAMER_FORTRAN_ALIAS(omp_get_max_threads)

GOSSAMER_EXPORT int omp_get_thread_num() {
    return of_current([](const Thread& thread) { return static_cast<int>(thread.num); });
}
GOSSAMER_FORTRAN_ALIAS(omp_get_thread_num)

GOSSAMER_EXPORT int omp_get_num_procs() { return static_cast<int>(globals().quota); }
GOSSAMER_FORTRAN_ALIAS(omp_get_num_procs)

GOSSAMER_EXPORT int omp_in_parallel() {
    return of_current([](const Thread& thread) { return static_cast<int>(thread.team->active_level > 0); });
}
GOSSAMER_FORTRAN_ALIAS(omp_in_parallel)

GOSSAMER_EXPORT void omp_set_dynamic(int dynamic) { current().change_icvs().dynamic = dynamic != 0; }
GOSSAMER_FORTRAN_INT(omp_set_dynamic)
GOSSAMER_ALIAS(ompc_set_dynamic, omp_set_dynamic)

GOSSAMER_EXPORT int omp_get_dynamic() { return current().icvs().dynamic; }
GOSSAMER_FORTRAN_ALIAS(omp_get_dynamic)

GOSSAMER_EXPORT int omp_get_cancellation() { return globals().cancellation; }
GOSSAMER_FORTRAN_ALIAS(omp_get_cancellation)

// Deprecated; in terms of max-active-levels-var as §18.2.9 and §18.2.10 say.
GOSSAMER_EXPORT void omp_set_nested(int nested) {
    std::uint32_t& levels = current().change_icvs().max_active_levels;
    if (nested != 0) {
        levels = max_levels;
    } else if (levels > 1) {
        levels = 1;
    }
}
GOSSAMER_FORTRAN_INT(omp_set_nested)
GOSSAMER_ALIAS(ompc_set_nested, omp_set_nested)

GOSSAMER_EXPORT int omp_get_nested() {
    gossamer::omp::Thread& thread = current();
    return thread.icvs().max_active_levels > 1 && thread.icvs().max_active_levels > thread.team->active_level;
}
GOSSAMER_FORTRAN_ALIAS(omp_get_nested)

GOSSAMER_EXPORT int omp_get_thread_limit() { return static_cast<int>(current().icvs().thread_limit); }
GOSSAMER_FORTRAN_ALIAS(omp_get_thread_limit)

GOSSAMER_EXPORT int omp_get_max_task_priority() { return static_cast<int>(globals().max_task_priority); }
GOSSAMER_FORTRAN_ALIAS(omp_get_max_task_priority)

GOSSAMER_EXPORT int omp_in_final() { return current().icvs().final; }
GOSSAMER_FORTRAN_ALIAS(omp_in_final)

GOSSAMER_EXPORT int omp_in_explicit_task() { return current().task->is_explicit(); }
GOSSAMER_FORTRAN_ALIAS(omp_in_explicit_task)

// OpenMP 6.0: free-agent threads run tasks outside of any team; there are none.
GOSSAMER_EXPORT int omp_is_free_agent() { return 0; }
GOSSAMER_FORTRAN_ALIAS(omp_is_free_agent)
GOSSAMER_EXPORT int omp_ancestor_is_free_agent(int) { return 0; }
GOSSAMER_EXPORT int omp_ancestor_is_free_agent_(const std::int32_t*) { return 0; }

// libomp's: whether a construct of the current team is cancelled; kinds are 1 parallel, 2 loop, 3 sections, 4 taskgroup.
GOSSAMER_EXPORT int kmp_get_cancellation_status(int kind) {
    if (kind == 4) return gossamer::omp::taskgroup_cancelled(current());
    if (kind < 1 || kind > 3) return 0;
    // relaxed: a hint; cancellation points do the ordering.
    return (current().team->cancelled.load(std::memory_order_relaxed) >> (kind - 1) & 1) != 0;
}
GOSSAMER_EXPORT int kmp_get_cancellation_status_(const std::int32_t* kind) { return kmp_get_cancellation_status(*kind); }

// libomp's: the number of OpenMP threads that exist now; at least the team's do.
GOSSAMER_EXPORT int kmp_get_num_known_threads() { return static_cast<int>(current().team->size); }
GOSSAMER_FORTRAN_ALIAS(kmp_get_num_known_threads)
