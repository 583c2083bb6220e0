// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "abi/gomp/gomp.hpp"

namespace gossamer::abi {

// Enters a sections construct with `count` sections.
void start_sections(omp::Thread& thread, unsigned count);

}  // namespace gossamer::abi
