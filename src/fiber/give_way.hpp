// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Giving way on request. Before the monitor relieves a carrier it asks the carrier to give way: to let what is queued there run
// at the next scheduling point that the running thread passes, though that thread need not wait. So threads that execute tasks
// or chunks of a loop take turns on their carriers, and only work behind a thread that passes no scheduling point needs a
// native thread of its own. Threads that poll, and so pass such points all the time, go on taking turns by one request
// (yield.cpp). All of this is a hint: a request that is lost, or comes late, leaves the carrier to relief.
#pragma once

#include "fiber/scheduler.hpp"

namespace gossamer::fiber {

// The monitor asks, or takes back what was not answered. Any native thread. What runs apart goes on when it answers: that tells
// that it passes scheduling points.
void ask_to_give_way(Carrier& carrier);
void withdraw_request(Carrier& carrier);

}  // namespace gossamer::fiber
