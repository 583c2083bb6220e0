// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The single construct, with copyprivate too (OpenMP 5.2 §11.1, §5.7.2). The program calls the barrier at its end.
#include "abi/gomp/gomp.hpp"

using namespace gossamer;

GOSSAMER_EXPORT bool GOMP_single_start() { return omp::single_start(omp::current()); }

// Entries of gcc after version 15, by which tools see the region's end.
GOSSAMER_EXPORT bool GOMP_single_start_with_end() { return omp::single_start(omp::current()); }
GOSSAMER_EXPORT void GOMP_single_end() {}

// Returns null to the thread that executes the region and then calls
// GOMP_single_copy_end with its data; to the other threads these data.
GOSSAMER_EXPORT void* GOMP_single_copy_start() {
    omp::Thread& thread = omp::current();
    return omp::single_start(thread) ? nullptr : omp::copyprivate_take(thread);
}

GOSSAMER_EXPORT void GOMP_single_copy_end(void* data) { omp::copyprivate_give(omp::current(), data); }
