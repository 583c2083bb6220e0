// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The interop construct (OpenMP 5.2 §14.1), as gcc 15 compiles it. The host has no foreign runtime, so every object becomes
// omp_interop_none, and the construct waits only for the tasks of its depend clause.
#include "abi/gomp/gomp.hpp"

using namespace gossamer;

// task_depend.cpp: returns when the dependences are satisfied.
extern "C" void GOMP_taskwait_depend(void** depend);

GOSSAMER_EXPORT void GOMP_interop(int, int inits, void*** init, const void*, const void*, int, void**, int destroys,
                                  void*** destroy, unsigned, void** depend) {
    if (depend != nullptr) GOMP_taskwait_depend(depend);
    for (int i = 0; i < inits; ++i) *init[i] = nullptr;
    for (int i = 0; i < destroys; ++i) *destroy[i] = nullptr;
}

// The address, on the caller's device, of a function that is called through a pointer.
GOSSAMER_EXPORT void* GOMP_target_map_indirect_ptr(void* function) { return function; }
