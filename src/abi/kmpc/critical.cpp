// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The critical construct (OpenMP 5.2 §15.2), and atomic constructs that no other entry serves. A critical section's name is 32
// zeroed bytes in the program.
#include "abi/kmpc/kmpc.hpp"

using namespace gossamer;
using abi::Ident;

GOSSAMER_EXPORT void __kmpc_critical(Ident*, int32_t, int32_t* name) { omp::critical_enter(omp::mutex_in(name)); }

GOSSAMER_EXPORT void __kmpc_critical_with_hint(Ident*, int32_t, int32_t* name, uint32_t) {
    omp::critical_enter(omp::mutex_in(name));
}

GOSSAMER_EXPORT void __kmpc_end_critical(Ident*, int32_t, int32_t* name) { omp::critical_leave(omp::mutex_in(name)); }

GOSSAMER_EXPORT void __kmpc_atomic_start() { omp::critical_enter(omp::unnamed_atomic); }
GOSSAMER_EXPORT void __kmpc_atomic_end() { omp::critical_leave(omp::unnamed_atomic); }
