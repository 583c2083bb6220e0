// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Simple and nestable locks as the routines see them (OpenMP 5.2 §18.9). A simple lock is the first four
// bytes of the user's variable, a nestable one its first eight. Hints (§15.1) change nothing.
#pragma once

#include <new>

#include "fiber/fiber.hpp"
#include "omp/sync/mutex.hpp"
#include "omp/sync/nest_lock.hpp"
#include "omp/thread/thread.hpp"

namespace gossamer::omp {

inline void lock_init(void* storage) { ::new (storage) Mutex; }

// May suspend.
inline void lock_set(void* storage) {
    fiber::scheduling_point();
    mutex_in(storage).lock();
}

inline void lock_unset(void* storage) { mutex_in(storage).unlock(); }

// A program that tries until it succeeds has to let the lock's owner run, so a failure may suspend.
inline bool lock_test(void* storage) {
    fiber::scheduling_point();
    if (mutex_in(storage).try_lock()) return true;
    fiber::yield();
    return false;
}

inline void nest_lock_set(void* storage) {
    fiber::scheduling_point();
    nest_lock_in(storage).lock(*current().task);
}

inline void nest_lock_unset(void* storage) { nest_lock_in(storage).unlock(); }

// The new nesting count, 0 if another task owns it.
inline int nest_lock_test(void* storage) {
    fiber::scheduling_point();
    const int count = static_cast<int>(nest_lock_in(storage).try_lock(*current().task));
    if (count == 0) fiber::yield();
    return count;
}

}  // namespace gossamer::omp
