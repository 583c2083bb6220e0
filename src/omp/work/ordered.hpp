// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The ordered construct without a doacross clause (OpenMP 5.2 §15.10.2): regions run in iteration order.
//
// Share::ordered is the first iteration whose region has not been passed. Only the thread that has this iteration moves it on:
// to the next iteration, or, where the ABI tells nothing of iterations, from the first iteration of its chunk to the first of
// the next chunk. A thread that waits for iteration i waits for exactly the value i, in a slot of its own (turns.hpp), so a
// hand-over wakes the one thread whose turn it is.
#pragma once

#include "omp/thread/thread.hpp"

namespace gossamer::omp {

// Begins the ordered region of iteration `ThreadWork::ordered`: returns when all iterations before it have been passed; in a
// team of one thread at once. May suspend.
void ordered_start(Thread& thread);

// Ends the ordered region: passes the iteration. For ABIs that tell of each iteration's end. Never suspends.
void ordered_end(Thread& thread);

// Passes an iteration that is over, unless its ordered region has done so. May suspend.
void ordered_iteration_end(Thread& thread);

// Passes all iterations of the thread's chunk, which are over. May suspend.
void ordered_pass_chunk(Thread& thread);

}  // namespace gossamer::omp
