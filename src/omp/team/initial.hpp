// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An initial thread that executes the implicit task of an initial team which begins inside other work: of a team of a league
// (OpenMP 5.2 §10.2), or of a target region on the host (§13.8).
#pragma once

#include <atomic>
#include <cstdint>

#include "omp/team/team.hpp"

namespace gossamer::omp {

// While this lives, the fiber that `around` runs on executes such a task, with these ICVs and this place in a league. Only the
// places are those of `around`. Outside all regions `around` is an initial thread already and takes both for the time being;
// inside one it is number 0 of a team of its own, at level 0 and in a contention group of its own. The constructor never
// suspends; the destructor waits for the tasks of a thread of its own, so it may.
class InitialThread {
public:
    InitialThread(Thread& around, const Icvs& icvs, const League& league);
    InitialThread(const InitialThread&) = delete;
    InitialThread& operator=(const InitialThread&) = delete;
    ~InitialThread();

    Thread& thread() { return thread_; }

private:
    struct Outside {
        Icvs icvs;
        League league;
    };

    std::atomic<uint32_t> busy_{1};
    Thread& thread_;
    const Outside outside_;  // what `thread` had, if it is not one of its own
    const bool own_;
};

}  // namespace gossamer::omp
