// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

namespace gossamer::fiber {

// What happened on one carrier, counted by itself without atomics; or on all of them.
struct Counters {
    std::uint64_t switches = 0;  // from one fiber to another
    std::uint64_t calls = 0;     // numbers of ranges that ran as plain calls
    std::uint64_t steals = 0;    // fibers and half ranges taken from others
    std::uint64_t parks = 0;     // times it went to sleep in the kernel
    std::uint64_t partings = 0;  // times it moved because another carrier was on its processor
    std::uint64_t relieved = 0;  // calls and fibers run on native threads of their own
    std::uint64_t fibers = 0;    // made, ever: only in the sum
};

// The sum at some moment of the call; exact when nothing runs.
Counters counters();

}  // namespace gossamer::fiber
