// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The message about a stack that ran over (overflow.cpp).
#pragma once

#include "fiber/context.hpp"

namespace gossamer::fiber {

// Gives the calling native thread, a carrier's home, what the message about a stack overflow needs; takes it back.
void watch_overflow(Fiber& home);
void unwatch_overflow(Fiber& home);

}  // namespace gossamer::fiber
