// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A lock for sections that do not switch stacks. Most are a few instructions, and their waiters spin (arch::pause). Where a
// section walks a list, allocates or makes threads (the scheduler's lock, zones, lists that grow), or is for such a rare thing
// that it does not matter, the waiters give up their processor meanwhile (os::yield_native).
//
// States: 0 free, 1 held. lock() swaps 1 in and owns the section if 0 came out; while it reads 1 it only
// reads, so waiters do not fight for the line. The acquire of the swap pairs with the release of unlock().
#pragma once

#include <atomic>
#include <cstdint>

#include "base/bits.hpp"

namespace gossamer {

// Atomic is the shim that model checks replace; pause is what to do between two looks (the CPU's pause, or a
// yield).
template <template <class> class Atomic = std::atomic>
class BasicSpinLock {
public:
    constexpr BasicSpinLock() = default;
    BasicSpinLock(const BasicSpinLock&) = delete;
    BasicSpinLock& operator=(const BasicSpinLock&) = delete;

    // acquire pairs with unlock's release.
    bool try_lock() { return held_.exchange(1, std::memory_order_acquire) == 0; }

    template <class Pause>
    void lock(Pause&& pause) {
        while (GOSSAMER_UNLIKELY(!try_lock())) {
            // relaxed: only a hint, try_lock decides.
            while (held_.load(std::memory_order_relaxed) != 0) pause();
        }
    }

    // release pairs with try_lock's acquire.
    void unlock() { held_.store(0, std::memory_order_release); }

    // For the only thread of a forked child, which so learns whether a thread of its parent's was in the section. relaxed: the
    // child's memory is what the parent's was at one moment.
    bool is_held() const { return held_.load(std::memory_order_relaxed) != 0; }

private:
    Atomic<std::uint8_t> held_{0};
};

using SpinLock = BasicSpinLock<>;

// Holds the lock for its scope: SpinGuard guard(lock, arch::pause).
template <class Lock>
class SpinGuard {
public:
    template <class Pause>
    SpinGuard(Lock& lock, Pause&& pause) : lock_(lock) {
        lock_.lock(pause);
    }
    ~SpinGuard() { lock_.unlock(); }
    SpinGuard(const SpinGuard&) = delete;
    SpinGuard& operator=(const SpinGuard&) = delete;

private:
    Lock& lock_;
};

}  // namespace gossamer
