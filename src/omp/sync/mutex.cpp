// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "omp/sync/mutex.hpp"

#include "fiber/fiber.hpp"

namespace gossamer::omp {

namespace {

// Whoever unlocks a contended mutex again and again takes it again before the one it woke has run, when both
// are on one carrier. Now and then it lets the other run first.
constexpr std::uint32_t wakes_before_yield = 16;
thread_local constinit std::uint32_t t_wakes = 0;

// Each look takes the holder's line away from it, and most sections are so short that it comes back for the lock at once. So
// a waiter looks ever more seldom, at last about twice a microsecond.
class Look {
public:
    explicit Look(const Mutex& mutex) : mutex_(mutex) {}

    static bool sees_free(const void* look) { return static_cast<const Look*>(look)->asked(); }

private:
    static constexpr std::uint32_t most_asks = 32;

    bool asked() const {
        if (++asks_ < asks_a_look_) return false;
        asks_ = 0;
        if (asks_a_look_ < most_asks) asks_a_look_ *= 2;
        return mutex_.is_free();
    }

    const Mutex& mutex_;
    mutable std::uint32_t asks_ = 0;
    mutable std::uint32_t asks_a_look_ = 1;
};

// One that has found it free so often, and taken by another each time, queues.
constexpr std::uint32_t most_losses = 16;

}  // namespace

void Mutex::lock_contended() {
    const Look look(*this);
    std::uint32_t losses = 0;
    while (losses < most_losses && (fiber::spin_briefly(Look::sees_free, &look) || fiber::spin_until(Look::sees_free, &look))) {
        if (try_lock()) return;
        ++losses;
    }
    // acquire pairs with unlock's release.
    while (word_.exchange(contended, std::memory_order_acquire) != free) fiber::wait(word_, contended);
}

void Mutex::wake_one() {
    fiber::notify_one(word_);  // by its address only: the memory may be gone
    if (++t_wakes % wakes_before_yield == 0) fiber::yield();
}

}  // namespace gossamer::omp
