// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Carriers, and other threads, on one processor (company.cpp).
#pragma once

#include "fiber/scheduler.hpp"

namespace gossamer::fiber {

// A spinner on `carrier`, or on none (null): lets the kernel run another native thread, or leaves the processor to a carrier
// that it finds there (company.cpp). False: it has done neither, and should park.
bool yield_processor(Carrier* carrier);
// The same for a fiber on `carrier` that polls, and so does not park.
void yield_to_carriers(Carrier& carrier);
// Around the wake of a carrier: by its claimant, and by itself. They keep a worker off its waker's processor (company.cpp).
void before_wake(Carrier& carrier);
void after_wake(Carrier& carrier);

}  // namespace gossamer::fiber
