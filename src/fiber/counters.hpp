// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts of what carriers have done, for the statistics and for tests.
#pragma once

#include <cstdint>

namespace gossamer::fiber {

// Of one carrier, which counts without atomics; or of all together.
struct Counters {
    std::uint64_t switches = 0;  // from one fiber to another
    std::uint64_t calls = 0;     // numbers of ranges that ran as plain calls
    std::uint64_t steals = 0;    // fibers and half ranges taken from other carriers
    std::uint64_t parks = 0;     // times it went to sleep in the kernel
    std::uint64_t partings = 0;  // times it moved because another carrier was on its processor
    std::uint64_t relieved = 0;  // calls and fibers that ran on native threads of their own
    std::uint64_t fibers = 0;    // made, ever: only in the sum
};

// The sum at some moment of the call; exact while nothing runs.
Counters counters();

}  // namespace gossamer::fiber
