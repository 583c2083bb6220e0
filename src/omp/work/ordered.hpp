// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The ordered construct without a doacross clause (OpenMP 5.2 §15.10.2): regions run in iteration order.
//
// share.ordered is the first iteration whose region has not been passed. Only the thread that has this iteration moves
// it on: to the next iteration, or, where the ABI tells nothing of iterations, from the first one of its chunk to the
// first one of the next chunk. Who waits for iteration i waits for exactly the value i, in a slot of its own (turns.hpp), so a
// hand-over wakes the one thread whose turn it is.
#pragma once

#include "omp/thread/thread.hpp"

namespace gossamer::omp {

// Begins the ordered region of the iteration that `work.ordered` names; returns when all before it have been passed. At
// once in a team of one thread. May suspend.
void ordered_start(Thread& thread);

// Ends the ordered region: passes the iteration. For ABIs that tell of each iteration's end.
void ordered_end(Thread& thread);

// The iteration is over, whether or not its ordered region was met; may suspend in the latter case.
void ordered_iteration_end(Thread& thread);

// All iterations of the thread's chunk are over. May suspend as above.
void ordered_pass_chunk(Thread& thread);

}  // namespace gossamer::omp
