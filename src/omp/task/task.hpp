// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A task and its data environment (OpenMP 5.2 §12).
#pragma once

#include "omp/icv/icv.hpp"

namespace gossamer::omp {

struct Task {
    Icvs icvs;
    Task* parent = nullptr;
};

}  // namespace gossamer::omp
