// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The critical construct (OpenMP 5.2 §15.2). A named section's lock is the first four bytes of a variable that the compiler
// emits for the name; sections without a name share one lock, and so do the atomic sections of old compilers.
#pragma once

#include "fiber/fiber.hpp"
#include "omp/sync/mutex.hpp"

namespace gossamer::omp {

struct alignas(no_share) LoneMutex : Mutex {};

extern LoneMutex unnamed_critical;
extern LoneMutex unnamed_atomic;

// May suspend.
inline void critical_enter(Mutex& mutex) {
    fiber::polling_point();
    mutex.lock();
}

inline void critical_leave(Mutex& mutex) { mutex.unlock(); }

}  // namespace gossamer::omp
