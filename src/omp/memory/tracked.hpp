// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace gossamer::omp {

// Fortran's allocatable variables under an allocate directive: the compiler notes which of them hold memory
// of omp_alloc, and asks when they are deallocated. track ignores nullptr; untrack tells whether the address
// was noted, and forgets it. Neither suspends.
void track(void* block);
bool untrack(void* block);

}  // namespace gossamer::omp
