// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of a team that worksharing constructs share (OpenMP 5.2 §11).
#pragma once

#include <atomic>
#include <cstdint>

#include "omp/work/share.hpp"

namespace gossamer::omp {

struct TeamWork {
    // 1: some thread has used the ring in this region; 2: and has left something half done, by cancellation.
    std::atomic<uint32_t> touched{0};
    Share ring[ring_size];

    // Before each region, while none of its threads runs. Does not touch the ring unless the last region did.
    void reset(Team& team) {
        // relaxed: publishing the region publishes what follows
        const uint32_t how = touched.load(std::memory_order_relaxed);
        if (GOSSAMER_LIKELY(how == 0)) return;
        if (how == 2) forget(team);
        clear_ring();
    }

    // Begins to number constructs anew, all of which the threads of the last region have left.
    void clear_ring();

    // Forgets every construct of the last region, those too that a cancelled construct or region left half done.
    void forget(Team& team);

    // In the child of a fork: those who wait for their turn are gone.
    void forget_waiters();

    TeamWork();
    ~TeamWork();
    TeamWork(const TeamWork&) = delete;
    TeamWork& operator=(const TeamWork&) = delete;
};

}  // namespace gossamer::omp
