// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kernel's form of a time, and nanoseconds.
#pragma once

#include <time.h>

#include <cstdint>

#include "base/base.hpp"

namespace gossamer::os {

constexpr std::uint64_t ns_per_second = 1'000'000'000;

inline std::uint64_t to_ns(const timespec& time) {
    return static_cast<std::uint64_t>(time.tv_sec) * ns_per_second + static_cast<std::uint64_t>(time.tv_nsec);
}

GOSSAMER_INLINE timespec to_timespec(std::uint64_t ns) {
    return {static_cast<time_t>(ns / ns_per_second), static_cast<long>(ns % ns_per_second)};
}

}  // namespace gossamer::os
