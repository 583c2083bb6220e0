// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "omp/sync/mutex.hpp"

#include "fiber/fiber.hpp"

namespace gossamer::omp {

namespace {

// Whoever unlocks a contended mutex again and again takes it again before the one it woke has run, when both
// are on one carrier. Now and then it lets the other run first.
constexpr std::uint32_t wakes_before_yield = 16;
thread_local constinit std::uint32_t t_wakes = 0;

// One that has found it free so often, and taken by another each time, queues.
constexpr std::uint32_t most_losses = 16;

// How many times the next waiter is asked before its first look: a quarter of what the last one came to, as the same code
// mostly comes for the same kind of section.
thread_local constinit std::uint32_t t_asks_a_look = 1;

}  // namespace

thread_local constinit std::uint32_t Mutex::t_locks = 0;

// A look takes the holder's line away from it. That matters where sections are so short that it comes back for the lock at
// once: a waiter that sees the lock change hands looks ever more seldom, at last every few microseconds. While the same hold
// lasts, the line is the waiter's as well, and to look again costs nobody anything.
class Mutex::Look {
public:
    explicit Look(const Mutex& mutex) : mutex_(mutex), asks_a_look_(t_asks_a_look) {}
    Look(const Look&) = delete;
    Look& operator=(const Look&) = delete;
    ~Look() { t_asks_a_look = asks_a_look_ < 4 ? 1 : asks_a_look_ / 4; }

    static bool sees_free(const void* look) { return static_cast<const Look*>(look)->asked(); }

private:
    static constexpr std::uint32_t most_asks = 128;

    bool asked() const {
        if (++asks_ < asks_a_look_) return false;
        asks_ = 0;
        const std::uint32_t word = mutex_.word_.load(std::memory_order_relaxed);  // try_lock orders what follows
        if (word == free) return true;
        if (word == seen_ && word != contended) {
            asks_a_look_ = 1;
        } else if (asks_a_look_ < most_asks) {
            asks_a_look_ *= 2;
        }
        seen_ = word;
        return false;
    }

    const Mutex& mutex_;
    mutable std::uint32_t asks_ = 0;
    mutable std::uint32_t asks_a_look_;
    mutable std::uint32_t seen_ = free;
};

void Mutex::lock_contended() {
    {
        const Look look(*this);
        std::uint32_t losses = 0;
        while (losses < most_losses &&
               (fiber::spin_briefly(Look::sees_free, &look) || fiber::spin_until(Look::sees_free, &look))) {
            if (try_lock()) return;
            ++losses;
        }
    }
    // acquire pairs with unlock's release.
    while (word_.exchange(contended, std::memory_order_acquire) != free) fiber::wait(word_, contended);
}

void Mutex::wake_one() {
    fiber::notify_one(word_);  // by its address only: the memory may be gone
    if (++t_wakes % wakes_before_yield == 0) fiber::yield();
}

}  // namespace gossamer::omp
