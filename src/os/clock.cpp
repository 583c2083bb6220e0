// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "os/clock.hpp"

#include <time.h>

namespace gossamer::os {

namespace {

constexpr std::uint64_t ns_per_second = 1'000'000'000;

}  // namespace

std::uint64_t now_ns() {
    timespec now;
    ::clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<std::uint64_t>(now.tv_sec) * ns_per_second + static_cast<std::uint64_t>(now.tv_nsec);
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
