// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fortran's allocatable variables under an allocate directive (OpenMP 5.2 §6.5): compiled code notes which of them hold memory
// of omp_alloc, and asks when they are deallocated.
#pragma once

namespace gossamer::omp {

// track notes an address, and ignores nullptr; it ends the program when memory is out. untrack tells whether the address was
// noted, and forgets it. Neither suspends.
void track(void* block);
bool untrack(void* block);

// In the child of a fork, whose parent's other threads may have held the lock.
void tracked_forget_lock();

}  // namespace gossamer::omp
