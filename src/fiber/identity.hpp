// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Making and ending fibers: their stacks and their identities (identity.cpp, docs/protocols/identity.md).
#pragma once

#include "fiber/scheduler.hpp"

namespace gossamer::fiber {

// The best fiber that the system grants: a full one, on a smaller stack if it must be, or else a light one. It may make
// several, and gives the others to the stock. Takes tens of microseconds. Null: no memory.
Fiber* make_fiber();
// A full one, without a message if there is none.
Fiber* try_full_fiber();

// A light fiber on one of the last stacks; null: none is left.
GOSSAMER_COLD Fiber* make_last_fiber();

// How many fibers exist that these have made; relaxed.
std::uint32_t living_fibers();

// Ends a fiber that no thread holds, in two steps, so that the pthreads of many end side by side. The second waits for it,
// and calls `retired`, if there is one, before the id is free.
void begin_to_end(Fiber& fiber);
void end_fiber(Fiber& fiber, void (*retired)(std::uint32_t id));

// In the child of fork, where none of them is left but the caller.
void forget_fibers();

}  // namespace gossamer::fiber
