// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The barrier of a team (OpenMP 5.2 §15.3): a counter of the threads that have arrived, and a generation that the last thread
// advances; for a team of two, both in one word.
// Threads do not queue: a waiter that stops spinning leaves itself in its own thread's slot, and the last thread to arrive goes
// through the slots by thread number and wakes each waiter where it last ran. In a team that is dealt over several carriers it
// leaves most of that to them, and on many carriers threads arrive in groups (docs/protocols/barrier.md).
#pragma once

#include <atomic>
#include <cstdint>

#include "base/base.hpp"
#include "omp/sync/pair_word.hpp"

namespace gossamer::omp {

struct Team;
struct Thread;

// With so many homes, threads arrive in groups. With fewer, one line for all threads costs no more than two steps do.
constexpr uint32_t fewest_in_groups = 8;

struct Barrier {
    // Threads, or groups of them, that have arrived; in the upper half, those threads that had left themselves in their slots
    // before. So a thread that knows it will sleep arrives and goes to sleep in one step. In a team of two: pair_word.hpp.
    alignas(no_share) std::atomic<uint64_t> arrived{0};
    // The region, and how many of its single constructs some thread has claimed (work/single.hpp). It lies here because a
    // single construct mostly ends in a barrier, which then finds the line at hand.
    std::atomic<uint64_t> singles{0};
    alignas(no_share) std::atomic<uint32_t> generation{
        0};                               // spinning waiters read this line, and no thread writes it meanwhile
    std::atomic<uint64_t> broadcasts{0};  // number of the last broadcast
    void* broadcast = nullptr;            // data of the last broadcast
    // The same as `singles`, for a team whose threads arrive in groups. They do not come to the line above one after another
    // anyway, and those that come late can read in one that nobody writes any more.
    alignas(no_share) std::atomic<uint64_t> singles_apart{0};
    // Slots that may hold a thread that fell asleep after it arrived. The last thread to arrive looks here right after it has
    // stored the generation, when all waiters want that line.
    alignas(no_share) std::atomic<uint32_t> sleepers{0};

    static constexpr uint64_t one_asleep = PairWord::one_asleep;
    static uint32_t count(uint64_t word) { return static_cast<uint32_t>(word); }
    static bool some_asleep(uint64_t word) { return word >= one_asleep; }

    // Whether some slot may hold a waiter. seq_cst: the caller has changed what may end a wait, and pairs with the waiter's
    // last look. Always reads `arrived`, behind which the slots are visible that were filled before.
    bool anyone_sleeps() const {
        return some_asleep(arrived.load(std::memory_order_seq_cst)) || sleepers.load(std::memory_order_seq_cst) != 0;
    }

    // Before a region of another size, and after a cancelled region, which leaves the count half done, and the groups' counts
    // with it (forget_cancelled in team.cpp); while none of the team's threads runs.
    void reset() { arrived.store(0, std::memory_order_relaxed); }
};

// Executes the thread's tasks, and waits until all threads of the team have arrived. `cancellable`: returns true, at once, if
// the parallel region is or becomes cancelled (§16.1); otherwise returns false. May suspend.
bool barrier(Thread& thread, bool cancellable = false);

// Whether all other threads of a team of more than two have arrived, at some moment of the call. For tests. Never suspends.
bool others_have_arrived(const Thread& thread);

// One thread of the team gives `data` to all others, which wait for that thread only: half a barrier. `number` is greater than
// that of any earlier broadcast of the region, and every thread passes a barrier before the next broadcast. `broadcast` never
// suspends; `await_broadcast` may, and returns the data.
void broadcast(Team& team, uint64_t number, void* data);
void* await_broadcast(Thread& thread, uint64_t number);

// Wakes the threads that wait at a cancellable barrier, after Team::cancelled was changed. Never suspends.
void wake_cancelled(Team& team);

}  // namespace gossamer::omp
