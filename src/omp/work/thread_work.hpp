// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How far a thread has come in its team's worksharing constructs, and where it is in the present one.
// Only the thread itself reads or writes it.
#pragma once

#include <cstdint>

#include "omp/work/loop.hpp"
#include "omp/work/portion.hpp"

namespace gossamer::omp {

struct Doacross;
struct Share;

// Which team of a league a thread is the initial thread of (OpenMP 5.2 §10.2); size 0: of none.
struct League {
    uint32_t num = 0;
    uint32_t size = 0;
};

// What the thread has been told about the next parallel or teams construct it meets: the kmpc ABI passes these clauses
// by calls of their own. 0: no such clause. Taken and cleared by that construct.
struct Pushed {
    uint32_t num_threads = 0;
    uint32_t bind = 0;               // proc_bind as the ABI numbers it
    uint16_t num_threads_below = 0;  // for the levels below: the rest of num_threads' list (icv/thread_lists.hpp)
    uint32_t num_teams_lower = 0;
    uint32_t num_teams_upper = 0;
    uint32_t thread_limit = 0;
};

struct ThreadWork {
    uint32_t met = 0;            // constructs with a share this thread has met in this region
    uint32_t singles = 0;        // single constructs it has met in this region
    bool follows = false;        // the last of them gave it another's data, and has not been followed by one yet
    Share* share = nullptr;      // of the construct it is in; null outside, and in those that need none
    Loop loop;                   // of the loop it is in
    Chunk chunk;                 // the iterations it was given last
    uint64_t round = 0;          // static schedules: chunks it has been given; ..._apart: chunks of the loop
    Portion* portion = nullptr;  // ..._apart: its own
    uint32_t victim = 0;         // ..._apart: from whom to steal next
    uint64_t ordered = 0;        // the iteration it is in, as far as the ABI tells; else the first of its chunk
    uint64_t passed = 0;         // iterations of an ordered loop that it knows to be passed: only it moves on what is its turn
    Doacross* doacross = nullptr;     // of the doacross loop it is in
    Share* doacross_share = nullptr;  // which owns it
    League league;
    Pushed pushed;

    // At the start of each region.
    void reset() {
        met = 0;
        singles = 0;
        follows = false;
        share = nullptr;
        doacross_share = nullptr;
    }
};

}  // namespace gossamer::omp
