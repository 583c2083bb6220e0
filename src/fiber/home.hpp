// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Homes away from their carriers, and on the way back (home.cpp, docs/protocols/relief.md).
#pragma once

#include "fiber/scheduler.hpp"

namespace gossamer::fiber {

// Leaves a home that is away to its own carrier. Returns when that carrier, or another thread once more, runs it.
void come_home(Fiber& home);
// The same, until the home is there.
void be_home(Fiber& home);

// By a thread other than the home's own carrier: takes a home that was left, to run it elsewhere. False: the home stays.
bool take_home(Carrier& own);

}  // namespace gossamer::fiber
