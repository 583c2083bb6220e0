// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The barrier of a team (OpenMP 5.2 §15.3): a counter of those that arrived, and a generation that the last one advances; for
// a team of two, both in one word.
// Nobody queues: a waiter that stops spinning leaves itself in its own thread's slot, and the last one in looks at the
// slots by thread number and wakes each where it last ran (docs/protocols/barrier.md).
#pragma once

#include <atomic>
#include <cstdint>

#include "base/base.hpp"
#include "omp/sync/pair_word.hpp"

namespace gossamer::omp {

struct Team;
struct Thread;

struct Barrier {
    // How many have arrived, and in the upper half how many of these had left themselves in their slots before: who knows
    // then that it will sleep is done in one step. In a team of two: pair_word.hpp.
    alignas(no_share) std::atomic<uint64_t> arrived{0};
    // Of the single construct (work/single.hpp). It mostly ends in a barrier, which then finds the line at hand.
    std::atomic<uint64_t> singles{0};  // the region, and how many of its single constructs some thread has claimed
    alignas(no_share) std::atomic<uint32_t> generation{0};  // spinning waiters read this line, nobody writes it meanwhile
    std::atomic<uint32_t> sleepers{0};                      // slots that may hold one who came to sleep later
    std::atomic<uint64_t> broadcasts{0};                    // the number of the last broadcast
    void* broadcast = nullptr;                              // and what it gave

    static constexpr uint64_t one_asleep = PairWord::one_asleep;
    static uint32_t count(uint64_t word) { return static_cast<uint32_t>(word); }
    static bool some_asleep(uint64_t word) { return word >= one_asleep; }

    // Whether some slot may hold a waiter. seq_cst: for who has made true what may end a wait. The count of arrivals is read
    // in any case: by that, what was left before them is seen.
    bool anyone_sleeps() const {
        return some_asleep(arrived.load(std::memory_order_seq_cst)) || sleepers.load(std::memory_order_seq_cst) != 0;
    }

    // Before a region of another size starts, or behind a cancelled one, which leaves the count half done; while none of its
    // threads runs.
    void reset() { arrived.store(0, std::memory_order_relaxed); }
};

// Waits until all threads of the team have arrived. May suspend. `cancellable`: returns true, at once, when the parallel
// region is or becomes cancelled (§16.1); otherwise returns false.
bool barrier(Thread& thread, bool cancellable = false);

// One thread of the team gives `data` to all others, which wait for it and for nobody else: half a barrier. `number` is greater
// than that of any other broadcast of the region, and everyone passes a barrier before the next one. `broadcast` never
// suspends; `await_broadcast` may, and returns the data.
void broadcast(Team& team, uint64_t number, void* data);
void* await_broadcast(Thread& thread, uint64_t number);

// Wakes those that wait at a cancellable barrier, after Team::cancelled was changed.
void wake_cancelled(Team& team);

}  // namespace gossamer::omp
