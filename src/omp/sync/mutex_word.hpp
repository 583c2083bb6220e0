// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The word of a mutex (mutex.hpp). Waiters sleep in the queue of a bucket that has a lock (fiber/wait.hpp).
//
//   bit      meaning                                          set by                        cleared by
//   held     a thread has the mutex                           the thread that takes it      its release
//   queued   a waiter sleeps in the bucket, or is about to    that waiter                   a release under the bucket's lock
//   heir     a waiter that was woken has neither taken the    a release that takes the      the heir, as it takes the mutex or
//            mutex nor gone to sleep again                    waiter off the queue          is about to sleep again
//
// Above the bits lies the number of the hold, by which a spinning waiter sees whether the mutex has changed hands.
//
// While there is an heir a release wakes no waiter: a thread that takes the mutex again and again would otherwise wake one
// sleeper after the other, each for nothing, and sleepers that share a carrier would keep each other from spinning there. An
// heir that has not come for many holds is not waited for: its carrier may be stopped, or a fork may have left it behind.
//
// Why no wake is lost. A waiter that is about to sleep sets `queued` while the mutex is held, and looks under the bucket's lock
// whether it is the same hold still. The release of that hold, or a later one, sees `queued`:
//   - without `heir` the release takes the bucket's lock. It finds the sleeper; or else the waiter comes to the lock later,
//     sees another hold, and does not sleep. `queued` stays if other sleepers are left.
//   - with `heir` the release leaves both bits as they are. `heir` is set only in the step that takes a waiter off the queue,
//     and that waiter clears it as it takes the mutex, or goes to sleep again while another thread holds it: the release that
//     follows sees `queued` without `heir`. (The look at the hold may read an old value here, and the waiter sleep through a
//     release. It sleeps no longer than `queued` lasts, which only a release under the lock clears.)
// mutex_word_model.cpp checks this.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/base.hpp"

namespace gossamer::omp {

template <class A = StdAtomics, std::uint32_t holds_an_heir_may_take = 4096>
class BasicMutexWord {
public:
    constexpr BasicMutexWord() = default;
    BasicMutexWord(const BasicMutexWord&) = delete;
    BasicMutexWord& operator=(const BasicMutexWord&) = delete;

    // acquire pairs with release and release_to; likewise wherever the mutex is taken.
    bool try_take() { return (word_.fetch_or(held, std::memory_order_acquire) & held) == 0; }

    // The same for the heir.
    bool try_take_as_heir() {
        std::uint32_t word = word_.load(std::memory_order_relaxed);
        while (is_free(word)) {
            if (word_.compare_exchange_weak(word, (word | held) & ~heir, std::memory_order_acquire, std::memory_order_relaxed))
                return true;
        }
        return false;
    }

    // For is_free, and for is_same_hold of two looks. relaxed: what a waiter learns so orders nothing.
    std::uint32_t look() const { return word_.load(std::memory_order_relaxed); }
    static constexpr bool is_free(std::uint32_t word) { return (word & held) == 0; }
    static constexpr bool is_same_hold(std::uint32_t one, std::uint32_t other) {
        return (one & ~(queued | heir)) == (other & ~(queued | heir));
    }

    // For a waiter that is about to sleep. Returns the word for `may_sleep`, or 0: it has taken the mutex instead.
    std::uint32_t prepare_to_sleep(bool as_heir) {
        const std::uint32_t kept = as_heir ? ~heir : ~std::uint32_t{0};
        std::uint32_t word = word_.load(std::memory_order_relaxed);
        while (true) {
            const bool free = is_free(word);
            const std::uint32_t next = (word | (free ? held : queued)) & kept;
            if (next == word) return word;
            if (word_.compare_exchange_weak(word, next, std::memory_order_acquire, std::memory_order_relaxed))
                return free ? 0 : next;
        }
    }

    // Under the bucket's lock. True: the waiter has to queue there.
    bool may_sleep(std::uint32_t prepared) const {
        const std::uint32_t word = look();
        return is_same_hold(word, prepared) && (word & queued) != 0;
    }

    // By the holder. False: a waiter has to be woken, so the mutex is held until release_to. release pairs with the acquire of
    // the next holder; likewise in release_to.
    bool release() {
        std::uint32_t word = word_.load(std::memory_order_relaxed);
        do {
            if (GOSSAMER_UNLIKELY((word & queued) != 0) && ((word & heir) == 0 || is_late(word))) return false;
        } while (!word_.compare_exchange_weak(word, released(word), std::memory_order_release, std::memory_order_relaxed));
        return true;
    }

    // By the holder, under the bucket's lock. `found`: a waiter was taken off the queue; `left`: others are in it. True: there
    // was an heir already, which has let many holds pass.
    bool release_to(bool found, bool left) {
        std::uint32_t word = word_.load(std::memory_order_relaxed);
        std::uint32_t next;
        do {
            next = (released(word) & ~(queued | heir)) | (found ? heir : 0) | (left ? queued : 0);
        } while (!word_.compare_exchange_weak(word, next, std::memory_order_release, std::memory_order_relaxed));
        return (word & heir) != 0;
    }

private:
    static constexpr std::uint32_t held = 1;
    static constexpr std::uint32_t queued = 2;
    static constexpr std::uint32_t heir = 4;
    static constexpr std::uint32_t one_hold = 8;

    static constexpr std::uint32_t released(std::uint32_t word) { return (word & ~held) + one_hold; }
    static constexpr bool is_late(std::uint32_t word) { return word / one_hold % holds_an_heir_may_take == 0; }

    typename A::template Atomic<std::uint32_t> word_{0};
};

}  // namespace gossamer::omp
