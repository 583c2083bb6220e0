// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of a team that worksharing constructs share (OpenMP 5.2 §11).
#pragma once

#include <atomic>
#include <cstdint>

#include "omp/work/share.hpp"

namespace gossamer::omp {

struct TeamWork {
    std::atomic<uint32_t> singles{0};  // single constructs that some thread has claimed in this region
    std::atomic<uint32_t> touched{0};  // not 0: some thread has used the ring in this region
    void* copyprivate = nullptr;       // the broadcaster's data, between the construct's two barriers
    Share ring[ring_size];

    // Before each region, while none of its threads runs. Does not touch the ring unless the last region did.
    void reset(Team& team) {
        singles.store(0, std::memory_order_relaxed);  // relaxed, all: publishing the region publishes these
        if (GOSSAMER_UNLIKELY(touched.load(std::memory_order_relaxed) != 0)) clear_ring(team);
    }

    // Forgets every construct of the last region, those too that a cancelled region left half done.
    void clear_ring(Team& team);

    TeamWork();
    ~TeamWork();
    TeamWork(const TeamWork&) = delete;
    TeamWork& operator=(const TeamWork&) = delete;
};

}  // namespace gossamer::omp
