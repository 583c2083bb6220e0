// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a team keeps for its worksharing constructs (OpenMP 5.2 §11).
#pragma once

#include <atomic>
#include <cstdint>

#include "omp/work/share.hpp"
#include "omp/work/uneven.hpp"

namespace gossamer::omp {

struct ThreadWork;

struct TeamWork {
    // 1: some thread has used the ring in this region; 2: cancellation has left a construct half done.
    std::atomic<uint32_t> touched{0};
    Share ring[ring_size];
    std::atomic<uint32_t> departed{0};  // threads that have departed; reset when the ring is forgotten
    SpinLock leaving;                   // under it: ThreadWork::met of those
    UnevenLoops uneven;                 // for as long as the descriptor is the team's

    // Before each region, while none of the team's threads runs. Does not touch the ring unless the last region did.
    void reset(Team& team) {
        // relaxed: publishing the region publishes what follows
        const uint32_t how = touched.load(std::memory_order_relaxed);
        if (GOSSAMER_LIKELY(how == 0)) return;
        if (how == 2) forget(team);
        clear_ring();
    }

    // Numbers constructs from 0 again. The threads have left all constructs of the last region.
    void clear_ring();

    // Makes every slot fresh, whatever a cancelled construct or region has left half done.
    void forget(Team& team);

    // In the child of a fork, where the team's other threads are gone: the constructs behind `me`, in which they may still have
    // been, are over, and none before it has been touched. Those that were ahead leave nothing to wait for.
    void forget_others(Team& team, const ThreadWork& me);

    TeamWork();
    ~TeamWork();
    TeamWork(const TeamWork&) = delete;
    TeamWork& operator=(const TeamWork&) = delete;
};

}  // namespace gossamer::omp
