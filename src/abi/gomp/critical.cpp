// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The critical construct (OpenMP 5.2 §15.2), and atomic constructs for which gcc has no instruction. A section's name is a
// zeroed pointer in the program.
#include "abi/gomp/gomp.hpp"

using namespace gossamer;

GOSSAMER_EXPORT void GOMP_critical_start() { omp::critical_enter(omp::unnamed_critical); }
GOSSAMER_EXPORT void GOMP_critical_end() { omp::critical_leave(omp::unnamed_critical); }

GOSSAMER_EXPORT void GOMP_critical_name_start(void** name) { omp::critical_enter(omp::mutex_in(name)); }
GOSSAMER_EXPORT void GOMP_critical_name_end(void** name) { omp::critical_leave(omp::mutex_in(name)); }

GOSSAMER_EXPORT void GOMP_atomic_start() { omp::critical_enter(omp::unnamed_atomic); }
GOSSAMER_EXPORT void GOMP_atomic_end() { omp::critical_leave(omp::unnamed_atomic); }

// gcc 17 calls these around the combination of several reductions.
GOSSAMER_EXPORT void GOMP_reduction_start() { omp::critical_enter(omp::unnamed_atomic); }
GOSSAMER_EXPORT void GOMP_reduction_end() { omp::critical_leave(omp::unnamed_atomic); }
