// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The barrier construct (OpenMP 5.2 §15.3.1).
#include "abi/gomp/gomp.hpp"

using namespace gossamer;

namespace {

inline void barrier_here() {
    omp::of_current([](omp::Thread& thread) { omp::barrier(thread); });
}

}  // namespace

GOSSAMER_EXPORT void GOMP_barrier() { barrier_here(); }
GOSSAMER_EXPORT bool GOMP_barrier_cancel() { return omp::barrier(omp::current(), true); }

// Entries of gcc after version 15. The argument tells an implicit barrier from an explicit one, for tools.
GOSSAMER_EXPORT void GOMP_barrier_ext(int) { barrier_here(); }
GOSSAMER_EXPORT bool GOMP_barrier_cancel_ext(int) { return omp::barrier(omp::current(), true); }
