// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What GOMP_sections_* and GOMP_parallel_sections entries have in common (OpenMP 5.2 §11.3).
#pragma once

#include "abi/gomp/gomp.hpp"

namespace gossamer::abi {

// Enters a sections construct with `count` sections. May suspend.
void start_sections(omp::Thread& thread, unsigned count);

}  // namespace gossamer::abi
