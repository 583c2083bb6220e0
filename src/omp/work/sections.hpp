// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The sections construct (OpenMP 5.2 §11.3): sections are dealt out one by one, first come first served. Enter with
// share_enter, end with share_leave.
#pragma once

#include "omp/thread/thread.hpp"
#include "omp/work/share.hpp"

namespace gossamer::omp {

// Takes a section: its number, from 0; as many as there are sections, or more, when none is left. Never suspends.
inline uint64_t sections_next(Thread& thread) {
    // relaxed: the counter orders nothing; entering and leaving the share do.
    return thread.work.share->next.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace gossamer::omp
