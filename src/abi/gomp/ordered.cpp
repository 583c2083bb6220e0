// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The ordered construct (OpenMP 5.2 §15.10.2). The program does not tell of single iterations, so a thread keeps its turn
// until its chunk is over.
#include "abi/gomp/gomp.hpp"

using namespace gossamer;

GOSSAMER_EXPORT void GOMP_ordered_start() { omp::ordered_start(omp::current()); }
GOSSAMER_EXPORT void GOMP_ordered_end() {}
