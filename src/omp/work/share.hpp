// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a team shares while it works through one construct: the counter that deals out chunks or sections, the turn of
// ordered regions, memory that lives as long as the construct.
//
// A team has a ring of shares. Constructs that need one are numbered 0, 1, 2 … as each thread meets them (the same
// sequence for all: OpenMP 5.2 §11, restrictions); construct k uses slot k % ring_size. So a thread may run ahead of its
// siblings through constructs without a barrier, by up to ring_size of them.
//
//   turn      the construct that may use the slot now; modulo 2^32, like the threads' counts. Only the last thread to
//             leave a construct advances it, by ring_size.
//   leavers   how many threads have left that construct.
//   prepared  0 no thread yet, 1 one thread fills in `memory` and `reductions`, 2 filled in. Stays 0 in constructs that
//             have neither.
//   epoch     tells the constructs of a slot apart, across regions, in the portions of its threads (portion.hpp).
//             Only the last thread to leave changes it.
//
// Invariant: while turn == k and leavers < the team's size, every other field belongs to construct k. The last thread to leave
// makes next, ordered, leavers, prepared and the pointers as in a fresh slot before it advances turn, so entering needs
// no write at all. No wake is lost: a waiter waits on the word itself (turn, prepared) with the value it saw there, and
// the writer notifies after its store. Where regions can be cancelled, a waiter on turn also looks at the count of threads that
// have departed, and a thread that departs raises the count and then notifies the waiters on every turn.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/base.hpp"
#include "fiber/fiber.hpp"
#include "omp/work/ahead.hpp"
#include "omp/work/thread_work.hpp"
#include "omp/work/turns.hpp"

namespace gossamer::omp {

struct Team;
struct Thread;

struct alignas(no_share) Share {
    std::atomic<uint32_t> turn{0};
    std::atomic<uint32_t> leavers{0};
    std::atomic<uint32_t> prepared{0};
    uint32_t epoch = 1;
    void* memory = nullptr;      // what share_allocate gave for this construct
    void* program = nullptr;     // the part of `memory` that the program asked for
    void* reductions = nullptr;  // the first thread's task reductions, as gcc lays them out

    // Written once a chunk by every thread: a line of its own.
    alignas(no_share) std::atomic<uint64_t> next{0};  // first iteration (or section) that no thread has taken
    Holders ahead;
    alignas(cache_line) BasicTurns<fiber::Fiber> ordered;  // the first iteration whose ordered region has not been passed
};

// A power of two, so that the construct numbers may wrap.
constexpr uint32_t ring_size = 8;

// Enters the thread's next construct that needs a share, and leaves first the one before if that was cancelled. Suspends if the
// thread is ring_size constructs ahead of a sibling.
Share& share_enter(Thread& thread);

// Leaves the thread's share; does nothing if it has none. The last thread of the team recycles the share. Never suspends.
void share_leave(Thread& thread);

// The thread leaves the region by its cancellation, and meets no further construct. Where a sibling that goes on would wait for
// it, that sibling leaves constructs in its place. Never suspends.
void share_depart(Thread& thread);

// The same as share_leave for a share that is not the thread's `work.share`.
void share_leave(Team& team, Share& share);

// True for exactly one thread of the team, which must fill in the share and call share_prepared; the other threads return
// false once that is done. May suspend.
bool share_prepare(Share& share);
void share_prepared(Share& share);

// A thread that may hold chunks of its loop (ahead.hpp) holds none any longer.
inline void hold_nothing(ThreadWork& work) {
    if (work.counted_holder) work.share->ahead.renounce(*work.ahead.held, work.counted_holder);
}

// Zeroed memory of at least `bytes`, aligned for every type, which is freed when the construct is over. Once a construct, by
// the thread that prepares the share. Ends the program when memory is out.
void* share_allocate(Share& share, size_t bytes);

}  // namespace gossamer::omp
