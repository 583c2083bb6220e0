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
//   prepared  0 nobody yet, 1 one thread fills in `memory` and `reductions`, 2 filled in. Stays 0 in constructs that
//             have neither.
//   epoch     tells the constructs of a slot apart, across regions, in the portions of its threads (portion.hpp).
//             Only the last thread to leave changes it.
//
// Invariant: while turn == k and leavers < the team's size, every other field belongs to construct k. The last to leave
// makes next, ordered, leavers, prepared and the pointers as in a fresh slot before it advances turn, so entering needs
// no write at all. No wake is lost: a waiter waits on the word itself (turn, prepared) with the value it saw there, and
// the writer notifies after its store.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/base.hpp"
#include "fiber/fiber.hpp"
#include "omp/work/turns.hpp"

namespace gossamer::omp {

struct Team;
struct Thread;

struct alignas(no_share) Share {
    std::atomic<uint32_t> turn{0};
    std::atomic<uint32_t> leavers{0};
    std::atomic<uint32_t> prepared{0};
    uint32_t epoch = 1;
    void* memory = nullptr;      // of this construct, from share_allocate
    void* program = nullptr;     // the part of it that the program asked for
    void* reductions = nullptr;  // the first thread's task reduction descriptor, as gcc lays it out

    // Written once a chunk by every thread: a line of its own.
    alignas(no_share) std::atomic<uint64_t> next{0};       // first iteration (or section) that nobody has taken
    alignas(cache_line) BasicTurns<fiber::Fiber> ordered;  // the first iteration whose ordered region has not been passed
};

// A power of two, so that the construct numbers may wrap.
constexpr uint32_t ring_size = 8;

// Makes the next construct of the ring the one `thread` is in. May suspend: when it is ring_size constructs ahead of a
// sibling. A construct that was left early, because it was cancelled, is left first.
Share& share_enter(Thread& thread);

// The thread is through with its share; does nothing when it has none. The last one of the team recycles it. Never
// suspends.
void share_leave(Thread& thread);

// The same for a share that is not the thread's `work.share`.
void share_leave(Team& team, Share& share);

// True for exactly one thread of the team, which must fill in the share and call share_prepared; the others return
// false once that is done. May suspend.
bool share_prepare(Share& share);
void share_prepared(Share& share);

// Zeroed memory of at least `bytes`, aligned for every type; freed when the construct is over. Once a construct, by the
// thread that prepares the share. Ends the program when there is none left.
void* share_allocate(Share& share, size_t bytes);

}  // namespace gossamer::omp
