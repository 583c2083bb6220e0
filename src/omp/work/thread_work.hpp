// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How far a thread has come in its team's worksharing constructs, and where it is in the present one.
// Only the thread itself reads or writes it.
#pragma once

#include <cstdint>

#include "omp/work/loop.hpp"

namespace gossamer::omp {

struct Share;

struct ThreadWork {
    uint32_t met = 0;        // constructs with a share this thread has met in this region
    uint32_t singles = 0;    // single constructs it has met in this region
    Share* share = nullptr;  // of the construct it is in; null outside, and in those that need none
    Loop loop;               // of the loop it is in
    Chunk chunk;             // the iterations it was given last
    uint64_t round = 0;      // static schedules: chunks it has been given
    uint64_t ordered = 0;    // iterations of its chunk before this one have passed their ordered region
    struct Doacross* doacross = nullptr;  // of the doacross loop it is in (doacross.hpp)

    // At the start of each region.
    void reset() {
        met = 0;
        singles = 0;
        share = nullptr;
        doacross = nullptr;
    }
};

}  // namespace gossamer::omp
