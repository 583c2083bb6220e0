// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The lists of num_threads clauses with several elements (OpenMP 6.0), for the nesting levels below the construct. Each
// different list is kept once, for ever; Icvs::nthreads_next names its next element by an index, as it does for the list of
// OMP_NUM_THREADS.
#pragma once

#include <cstdint>

namespace gossamer::omp {

// Keeps the list `threads[0 … count-1]`, of which elements below 1 count as 1, and returns the index of its first element; 0 if
// the list is empty, or if there is no room, which is reported once. Any thread; never suspends.
std::uint16_t keep_thread_list(const std::int32_t* threads, std::uint32_t count);

// An element of a kept list, and the index of the next one; 0: this is the last.
struct ThreadListElement {
    std::uint32_t threads;
    std::uint16_t next;
};
bool is_kept_thread_list(std::uint16_t index);
ThreadListElement kept_thread_list(std::uint16_t index);

}  // namespace gossamer::omp
