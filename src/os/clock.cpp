// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "os/clock.hpp"

#include <time.h>

#include "os/timespec.hpp"

namespace gossamer::os {

std::uint64_t now_ns() {
    timespec now;
    ::clock_gettime(CLOCK_MONOTONIC, &now);
    return to_ns(now);
}

double wall_seconds() {
    timespec now;
    ::clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double tick_seconds() {
    timespec tick;
    ::clock_getres(CLOCK_MONOTONIC, &tick);
    return static_cast<double>(tick.tv_sec) + 1e-9 * static_cast<double>(tick.tv_nsec);
}

}  // namespace gossamer::os
