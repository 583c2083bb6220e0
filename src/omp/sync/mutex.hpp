// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The lock that user code can hold across anything: omp_lock_t, critical, atomic sections of old compilers.
// Four bytes, because gcc's omp_lock_t has no more; zero bytes are a free one, because critical sections'
// names are never initialised.
//
//   word_      meaning                        who leaves it
//   free       nobody holds it                try_lock, lock (to held or contended)
//   held       somebody does, nobody waits    unlock (to free), lock of another (to contended)
//   contended  somebody does, some may wait   unlock (to free, and it wakes one)
//
// Above `held` the word has a number that changes with each lock by the same native thread or full fiber: who spins sees by it
// whether the lock has changed hands since. Nothing else depends on it.
//
// No wake is lost: a waiter writes contended before it waits for that value, so the unlock that follows sees
// it; one that was woken writes contended again, because others may still wait (as in Drepper's "Futexes are
// tricky", mutex 2).
#pragma once

#include <atomic>
#include <cstdint>

#include "base/base.hpp"

namespace gossamer::omp {

class Mutex {
public:
    constexpr Mutex() = default;
    Mutex(const Mutex&) = delete;
    Mutex& operator=(const Mutex&) = delete;

    // Never suspends. acquire pairs with unlock's release.
    bool try_lock() {
        std::uint32_t word = free;
        t_locks += one_lock;
        return word_.compare_exchange_strong(word, t_locks | held, std::memory_order_acquire, std::memory_order_relaxed);
    }

    // May suspend.
    void lock() {
        if (GOSSAMER_UNLIKELY(!try_lock())) lock_contended();
    }

    // May suspend where others waited. Whoever gets the lock next may free its memory. release pairs with
    // lock's acquire.
    void unlock() {
        if (GOSSAMER_UNLIKELY(word_.exchange(free, std::memory_order_release) == contended)) wake_one();
    }

    bool is_free() const { return word_.load(std::memory_order_relaxed) == free; }

private:
    static constexpr std::uint32_t free = 0;
    static constexpr std::uint32_t held = 1;
    static constexpr std::uint32_t contended = 2;
    static constexpr std::uint32_t one_lock = 4;
    static thread_local constinit std::uint32_t t_locks __attribute__((visibility("hidden")));

    class Look;

    void lock_contended();
    void wake_one();

    std::atomic<std::uint32_t> word_{free};
};

static_assert(sizeof(Mutex) == 4 && alignof(Mutex) == 4, "gcc's omp_lock_t");

// The mutex that lies in a variable of the user's.
inline Mutex& mutex_in(void* storage) { return *static_cast<Mutex*>(storage); }

}  // namespace gossamer::omp
