// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What num_threads clauses with several elements (OpenMP 6.0) say about the levels below their constructs: each such list is kept
// once, for ever, and named by the index of its next element as the list of OMP_NUM_THREADS is (Icvs::nthreads_next).
#pragma once

#include <cstdint>

namespace gossamer::omp {

// The index by which `threads[0 … count-1]`, of which those below 1 count as 1, is named; 0 if there is nothing to name, or no
// room, which is said once. Any thread; never suspends.
std::uint16_t keep_thread_list(const std::int32_t* threads, std::uint32_t count);

// An element of a list that is kept, and the index of the next one; 0: that was the last.
struct ThreadListElement {
    std::uint32_t threads;
    std::uint16_t next;
};
bool is_kept_thread_list(std::uint16_t index);
ThreadListElement kept_thread_list(std::uint16_t index);

}  // namespace gossamer::omp
