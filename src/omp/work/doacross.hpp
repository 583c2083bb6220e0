// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Doacross loop nests (OpenMP 5.2 §15.9.6, ordered construct §15.10): an iteration
// waits until named earlier ones have posted.
//
// Posts are kept in words, in one of two ways:
//   flags     a bit for each iteration of the nest. For the kmpc ABI, which does not tell how many of the dimensions are
//             shared out together, so that neighbouring inner iterations may belong to different threads.
//   progress  a word for each chunk of the outermost dimension (for each thread, when the schedule is static): one more
//             than the row-major number of the last iteration posted there. One thread runs a chunk in increasing order,
//             so every smaller iteration of the chunk has been posted too. For the GOMP ABI.
// A thread waits on the address of the word (of the byte, for flags). Beside each progress word lies what the sleepers want of
// it, so a post wakes nobody before that is there.
#pragma once

#include <cstddef>
#include <cstdint>

#include "omp/thread/thread.hpp"
#include "omp/work/share.hpp"

namespace gossamer::omp {

// lower, lower + step … up to and including upper; empty if upper lies on the other side of lower.
struct Dimension {
    int64_t lower;
    int64_t upper;
    int64_t step;

    bool is_empty() const { return step > 0 ? upper < lower : upper > lower; }
    uint64_t count() const;  // of one that is not empty
};

// Begins a nest with flags, in a share of its own, and ends it. Do nothing in a team of one. `start` may suspend.
void doacross_start(Thread& thread, const Dimension* dimensions, uint32_t count);
void doacross_end(Thread& thread);

// For the thread that prepares the share of a loop with `ncounts` dimensions of counts[i] iterations each, from 0, the
// outermost of which is `loop`: makes the progress words, and `extra` bytes for the program (share.program).
void doacross_prepare(Share& share, const Loop& loop, uint32_t threads, const uint64_t* counts, uint32_t ncounts, size_t extra);

// Makes the nest of a prepared share the thread's current one.
void doacross_join(Thread& thread, Share& share);

// Posts `iteration`, a value of the loop variable for each dimension. What the caller did so far happens before what the
// threads do that wait for it. Suspends in chaos mode only.
void doacross_post(Thread& thread, const int64_t* iteration);

// Returns when `iteration` has been posted; at once if the nest has no such iteration (§15.9.6). May suspend.
void doacross_wait(Thread& thread, const int64_t* iteration);

// How many values `iteration` must hold; 0 in a team of one thread, where both of the above return at once.
uint32_t doacross_dimensions(const Thread& thread);

}  // namespace gossamer::omp
