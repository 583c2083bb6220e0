// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Nestable locks (OpenMP 5.2 §18.9): owned by a task, which may set a lock again while it owns it.
//
// gcc's omp_nest_lock_t has 16 bytes (8 in its OpenMP 2.5 layout and in Fortran), clang's 8. So the variable holds a pointer to
// a NestLock, which lives from init to destroy.
#pragma once

#include <atomic>
#include <cstdint>

#include "omp/sync/mutex.hpp"

namespace gossamer::omp {

struct Task;

class NestLock {
public:
    NestLock() = default;
    NestLock(const NestLock&) = delete;
    NestLock& operator=(const NestLock&) = delete;

    // May suspend. Returns how often `task` has set the lock.
    std::uint32_t lock(const Task& task) {
        if (owned_by(task)) return ++count_;
        mutex_.lock();
        return own(task);
    }

    // The same; 0: another task owns the lock. Never suspends.
    std::uint32_t try_lock(const Task& task) {
        if (owned_by(task)) return ++count_;
        return mutex_.try_lock() ? own(task) : 0;
    }

    // By the owner. True: the lock is free now. May suspend.
    bool unlock() {
        if (--count_ != 0) return false;
        owner_.store(nullptr, std::memory_order_relaxed);  // as owned_by
        mutex_.unlock();
        return true;
    }

private:
    // relaxed: only the task itself writes its own address, so it reads that if and only if it is the owner.
    bool owned_by(const Task& task) const { return owner_.load(std::memory_order_relaxed) == &task; }

    std::uint32_t own(const Task& task) {
        owner_.store(&task, std::memory_order_relaxed);  // as owned_by
        return count_ = 1;
    }

    Mutex mutex_;
    std::uint32_t count_ = 0;  // the owner's
    std::atomic<const Task*> owner_{nullptr};
};

// Makes the variable at `storage`, 8 bytes of any alignment, hold a new lock. Ends the program when memory is out.
void nest_lock_init(void* storage);
void nest_lock_destroy(void* storage);
NestLock& nest_lock_in(const void* storage);

}  // namespace gossamer::omp
