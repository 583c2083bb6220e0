// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The ordered construct (OpenMP 5.2 §15.10.2). The program does not tell where an iteration ends, so a thread keeps its turn
// until its chunk is over.
#include "abi/gomp/gomp.hpp"

using namespace gossamer;

GOSSAMER_EXPORT void GOMP_ordered_start() { omp::ordered_start(omp::current()); }

// An iteration executes at most one ordered region (§15.10.2), so the region of a chunk's only iteration ends the chunk's turn.
// In longer chunks the end of an iteration is not known.
GOSSAMER_EXPORT void GOMP_ordered_end() {
    omp::Thread& thread = omp::current();
    if (thread.work.chunk.size() == 1) omp::ordered_pass_chunk(thread);
}
