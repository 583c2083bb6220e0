// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// taskwait, taskgroup and taskyield (OpenMP 5.2 §15.5, §15.4, §12.7).
#include "abi/gomp/gomp.hpp"

using namespace gossamer;

GOSSAMER_EXPORT void GOMP_taskwait() { omp::taskwait(omp::current()); }
GOSSAMER_EXPORT void GOMP_taskyield() { omp::taskyield(omp::current()); }
GOSSAMER_EXPORT void GOMP_taskgroup_start() { omp::taskgroup_begin(omp::current()); }
GOSSAMER_EXPORT void GOMP_taskgroup_end() { omp::taskgroup_end(omp::current()); }
