// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "omp/sync/mutex.hpp"

#include "fiber/fiber.hpp"

namespace gossamer::omp {

namespace {

// Whoever unlocks a contended mutex again and again takes it again before the one it woke has run, when both
// are on one carrier. Now and then it lets the other run first.
constexpr std::uint32_t wakes_before_yield = 16;
thread_local constinit std::uint32_t t_wakes = 0;

} // namespace

void Mutex::lock_contended() {
    constexpr auto looks_free = [](const void* mutex) { return static_cast<const Mutex*>(mutex)->is_free(); };
    // Most sections are short. Several may go for it at once, and one gets it.
    while (fiber::spin_briefly(looks_free, this))
        if (try_lock())
            return;
    if (fiber::spin_until(looks_free, this) && try_lock())
        return;
    // acquire pairs with unlock's release.
    while (word_.exchange(contended, std::memory_order_acquire) != free)
        fiber::wait(word_, contended);
}

void Mutex::wake_one() {
    fiber::notify_one(word_); // by its address only: the memory may be gone
    if (++t_wakes % wakes_before_yield == 0)
        fiber::yield();
}

} // namespace gossamer::omp
