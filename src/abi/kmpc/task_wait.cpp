// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// taskwait, taskgroup and taskyield (OpenMP 5.2 §15.5, §15.4, §12.7).
#include "abi/kmpc/kmpc.hpp"

using namespace gossamer;
using abi::Ident;

GOSSAMER_EXPORT int32_t __kmpc_omp_taskwait(Ident*, int32_t) {
    omp::taskwait(omp::current());
    return 0;
}

GOSSAMER_EXPORT int32_t __kmpc_omp_taskyield(Ident*, int32_t, int) {
    omp::taskyield(omp::current());
    return 0;
}

GOSSAMER_EXPORT void __kmpc_taskgroup(Ident*, int) { omp::taskgroup_begin(omp::current()); }
GOSSAMER_EXPORT void __kmpc_end_taskgroup(Ident*, int) { omp::taskgroup_end(omp::current()); }

// A taskgraph region is executed and never recorded; bit 0 of its flags is nowait.
// Returns 1: the program has to execute the region.
GOSSAMER_EXPORT int32_t __kmpc_start_record_task(Ident*, int32_t, int32_t flags, int32_t) {
    if ((flags & 1) == 0) omp::taskgroup_begin(omp::current());
    return 1;
}

GOSSAMER_EXPORT void __kmpc_end_record_task(Ident*, int32_t, int32_t flags, int32_t) {
    if ((flags & 1) == 0) omp::taskgroup_end(omp::current());
}
