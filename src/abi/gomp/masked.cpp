// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The masked construct (OpenMP 5.2 §10.5) as gcc compiles it after version 15; before, it asks omp_get_thread_num.
#include "abi/gomp/gomp.hpp"

using namespace gossamer;

GOSSAMER_EXPORT bool GOMP_has_masked_thread_num(int filter) { return static_cast<int>(omp::current().num) == filter; }

GOSSAMER_EXPORT void GOMP_masked_end() {}
