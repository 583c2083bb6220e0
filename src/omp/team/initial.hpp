// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The initial thread of an initial team that begins inside another region: of a team of a league (OpenMP 5.2 §10.2), or of a
// target region on the host (§13.8).
#pragma once

#include <atomic>
#include <cstdint>

#include "omp/team/team.hpp"

namespace gossamer::omp {

// While this lives, the fiber that `around` runs on executes the implicit task of a new initial thread: number 0 of a team of
// one, at level 0, in a contention group of its own, with these ICVs and this place in a league. Only the places are those of
// `around`. The constructor never suspends; the destructor waits for the thread's tasks, so it may.
class InitialThread {
public:
    InitialThread(Thread& around, const Icvs& icvs, const League& league);
    InitialThread(const InitialThread&) = delete;
    InitialThread& operator=(const InitialThread&) = delete;
    ~InitialThread();

    Thread& thread() { return thread_; }

private:
    std::atomic<uint32_t> busy_{1};
    Thread& thread_;
};

}  // namespace gossamer::omp
