// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "omp/sync/critical.hpp"

namespace gossamer::omp {

constinit LoneMutex unnamed_critical;
constinit LoneMutex unnamed_atomic;

}  // namespace gossamer::omp
