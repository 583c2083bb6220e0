// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Time that only moves forward.
#pragma once

#include <cstdint>

namespace gossamer::os {

// Nanoseconds since an arbitrary point in the past, the same for all threads (CLOCK_MONOTONIC).
std::uint64_t now_ns();

// The same in seconds: omp_get_wtime (OpenMP 5.2 §18.10.1).
double wall_seconds();

// Seconds between two ticks of that clock: omp_get_wtick (OpenMP 5.2 §18.10.2).
double tick_seconds();

}  // namespace gossamer::os
