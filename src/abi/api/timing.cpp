// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Timing routines (OpenMP 5.2 §18.10).
#include "abi/api/fortran.hpp"
#include "os/os.hpp"

GOSSAMER_EXPORT double omp_get_wtime() { return gossamer::os::wall_seconds(); }
GOSSAMER_FORTRAN_ALIAS(omp_get_wtime)

GOSSAMER_EXPORT double omp_get_wtick() { return gossamer::os::tick_seconds(); }
GOSSAMER_FORTRAN_ALIAS(omp_get_wtick)
