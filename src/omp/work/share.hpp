// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a team shares while it works through one construct: the counter that deals out chunks or sections, the turn of
// ordered regions, memory that lives as long as the construct.
//
// A team has a ring of shares. Constructs that need one are numbered 0, 1, 2 … as each thread meets them (the same
// sequence for all: OpenMP 5.2 §11, restrictions); construct k uses slot k % ring_size in its lap k / ring_size. So a
// thread may run ahead of its siblings through constructs without a barrier, by up to ring_size of them.
//
//   turn      the lap whose construct may use the slot. Only the last thread to leave a construct advances it.
//   leavers   how many have left this lap's construct.
//   prepared  0 nobody yet, 1 one thread fills in `memory`, 2 filled in. Untouched by constructs without memory.
//
// Invariant: while turn == lap and leavers < size, every other field belongs to that lap; a slot is handed to the next
// lap with next, ordered, leavers, prepared and memory as in a fresh one, so entering needs no write at all.
// No wake is lost: each waiter waits on the word itself (turn, prepared) with the value it saw, and each writer
// notifies after its store.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/base.hpp"

namespace gossamer::omp {

struct alignas(no_share) Share {
    std::atomic<uint32_t> turn{0};
    std::atomic<uint32_t> leavers{0};
    std::atomic<uint32_t> prepared{0};
    void* memory = nullptr;      // of this construct: zeroed, from calloc, freed by the last to leave
    void* reductions = nullptr;  // the first thread's task reduction descriptor, as gcc lays it out

    // Written once a chunk by every thread: a line of its own.
    alignas(no_share) std::atomic<uint64_t> next{0};  // first iteration (or section) nobody has taken
    alignas(cache_line) std::atomic<uint64_t> ordered{0};  // first iteration whose ordered region may not be passed yet
};

constexpr uint32_t ring_size = 8;

}  // namespace gossamer::omp
