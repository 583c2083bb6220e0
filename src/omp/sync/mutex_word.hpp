// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The word of a mutex (mutex.hpp), apart from how its waiters sleep: they queue in a bucket that has a lock (fiber/wait.hpp).
//
//   bit      meaning                                        set by                         cleared by
//   held     somebody has the mutex                         who takes it                   its release
//   queued   somebody sleeps in the bucket, or is about to  who is about to                a release under the bucket's lock
//   heir     one that was woken has not tried yet           a release that takes one       who was woken: it takes the mutex, or
//            since, or still tries                          off the queue                  is about to sleep again
//
// Above them lies the number of the hold, so that who spins sees whether the mutex has changed hands.
//
// While there is an heir a release wakes nobody: whoever takes the mutex again and again would else wake one sleeper after
// the other, each for nothing, and those that share a carrier would keep each other from spinning there. An heir that has not
// come for many holds is not waited for: its carrier may be stopped, or a fork may have left it behind.
//
// Why no wake is lost. Who is about to sleep sets `queued` while the mutex is held, and looks under the bucket's lock whether it
// is the same hold still. The release of that hold, or a later one, sees `queued`:
//   - without an heir it goes under the bucket's lock, where it finds the sleeper, or else the sleeper comes to the lock later,
//     sees another hold, and does not sleep. `queued` stays where others are left.
//   - with one it leaves both bits as they are. `heir` is set only for one that was taken off the queue by the same step, and
//     that one clears it once it takes the mutex, or lies down again while another holds it: the release that follows sees
//     `queued` without an heir. (The look at the hold may be an old one here, and the sleeper sleep through a release. It sleeps
//     no longer than its bit lasts, which only a release under the lock clears.)
// mutex_word_model.cpp checks it.
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

    // acquire pairs with a release; as in all that takes it.
    bool try_take() { return (word_.fetch_or(held, std::memory_order_acquire) & held) == 0; }

    // The same for one that was woken and has neither taken it nor slept since.
    bool try_take_as_heir() {
        std::uint32_t word = word_.load(std::memory_order_relaxed);
        while (is_free(word)) {
            if (word_.compare_exchange_weak(word, (word | held) & ~heir, std::memory_order_acquire, std::memory_order_relaxed))
                return true;
        }
        return false;
    }

    // For a look: is_free, and whether two looks saw the same hold. What is learned so orders nothing.
    std::uint32_t look() const { return word_.load(std::memory_order_relaxed); }
    static constexpr bool is_free(std::uint32_t word) { return (word & held) == 0; }
    static constexpr bool is_same_hold(std::uint32_t one, std::uint32_t other) {
        return (one & ~(queued | heir)) == (other & ~(queued | heir));
    }

    // The caller is about to sleep. Returns the word for `may_sleep`, or 0: it has taken the mutex instead.
    std::uint32_t lie_down(bool as_heir) {
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

    // Under the bucket's lock; true: it queues there.
    bool may_sleep(std::uint32_t lain_down) const {
        const std::uint32_t word = look();
        return is_same_hold(word, lain_down) && (word & queued) != 0;
    }

    // The holder. False: somebody is to be woken, so it is still held, until release_to. release pairs with the acquire of who takes it
    // next, as in release_to.
    bool release() {
        std::uint32_t word = word_.load(std::memory_order_relaxed);
        do {
            if (GOSSAMER_UNLIKELY((word & queued) != 0) && ((word & heir) == 0 || is_late(word))) return false;
        } while (!word_.compare_exchange_weak(word, released(word), std::memory_order_release, std::memory_order_relaxed));
        return true;
    }

    // Under the bucket's lock, where one was taken off the queue or none was `found`, and others are `left`. True: an heir that was
    // there already has let many holds pass.
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
