// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The lock routines (OpenMP 5.2 §18.9). A simple lock is the first four bytes of the program's variable, a nestable lock its
// first eight. Hints (§15.1) change nothing.
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
    fiber::polling_point();
    mutex_in(storage).lock();
}

// May suspend.
inline void lock_unset(void* storage) { mutex_in(storage).unlock(); }

// A program that tries until it succeeds needs the lock's owner to run, so a failure may suspend.
inline bool lock_test(void* storage) {
    fiber::polling_point();
    if (mutex_in(storage).try_lock()) return true;
    fiber::yield();
    return false;
}

// May suspend.
inline void nest_lock_set(void* storage) {
    fiber::polling_point();
    nest_lock_in(storage).lock(*current().task);
}

// May suspend.
inline void nest_lock_unset(void* storage) { nest_lock_in(storage).unlock(); }

// The new nesting count; 0 if another task owns the lock. A failure may suspend.
inline int nest_lock_test(void* storage) {
    fiber::polling_point();
    const int count = static_cast<int>(nest_lock_in(storage).try_lock(*current().task));
    if (count == 0) fiber::yield();
    return count;
}

}  // namespace gossamer::omp
