// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The message about a stack that ran over (overflow.cpp).
#pragma once

#include "fiber/context.hpp"

namespace gossamer::fiber {

// Gives the calling native thread, a carrier's home, what the message about a stack overflow needs; takes it back.
void watch_overflow(Fiber& home);
void unwatch_overflow(Fiber& home);

// The same for the native thread of a full fiber, which may run what is relieved. `memory`: os::alternate_stack_size() bytes,
// which stay as long as that thread.
void watch_lender(void* memory);

}  // namespace gossamer::fiber
