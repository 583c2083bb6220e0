// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The message about a stack that ran over (overflow.cpp).
#pragma once

#include "fiber/context.hpp"

namespace gossamer::fiber {

// Gives the calling native thread, a carrier's home, what the message about a stack overflow needs; takes it back.
void watch_overflow(Fiber& home);
void unwatch_overflow(Fiber& home);

// The same for a worker, in three steps: its creator's before it starts, its own, and its creator's when it has started, before
// the worker is given any work. So a worker allocates nothing itself: libc gives every native thread that does an arena, which
// takes some ten microseconds and 64 MiB of address space.
void bring_alternate_stack(Fiber& home);
void return_alternate_stack(Fiber& home);  // if the worker could not be started
void take_alternate_stack(Fiber& home);
void learn_stack(Fiber& home);

// The same for the native thread of a full fiber, which may run what is relieved. `memory`: os::alternate_stack_size() bytes,
// which stay as long as that thread.
void watch_lender(void* memory);

}  // namespace gossamer::fiber
