// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parking lot: waiters queue in the bucket of their address, oldest first (after WebKit's ParkingLot and Rust's
// parking_lot; ours suspends fibers, and keeps a count beside each bucket so that a notify without waiters takes no lock).
//
// Why no wake is lost. A waiter raises the bucket's count, passes a full fence, then looks at its word under the lock, then
// queues. A notifier has changed the word, then passes a full fence, then reads the count. (If the change and the read are
// seq_cst, the order of all such steps and fences is as good as the fence.) If it reads zero, its fence came
// before the waiter's, so the waiter's look sees the change and it does not queue. If it reads more, it takes the lock: the
// waiter is in the queue already, or will look at the word after the notifier's unlock, and see the change.

#include "fiber/wait.hpp"

#include "fiber/scheduler.hpp"

namespace gossamer::fiber {

namespace {

// On the waiter's stack; belongs to the bucket's lock while it is queued, and to the waiter alone after resume.
struct Waiter {
    const void* key;
    Fiber* fiber;
    Waiter* next = nullptr;
};

struct alignas(cache_line) Bucket {
    SpinLock lock;
    std::atomic<std::uint32_t> waiting{0};
    Waiter* first = nullptr;
    Waiter* last = nullptr;

    void append(Waiter& waiter) {
        (last == nullptr ? first : last->next) = &waiter;
        last = &waiter;
    }

    // `previous` is the waiter before it, or null.
    void remove(Waiter& waiter, Waiter* previous) {
        (previous == nullptr ? first : previous->next) = waiter.next;
        if (waiter.next == nullptr) last = previous;
        waiting.fetch_sub(1, std::memory_order_relaxed);
    }
};

constexpr std::size_t bucket_bits = 8;
constinit Bucket buckets[std::size_t{1} << bucket_bits];

Bucket& bucket_of(const void* key) { return buckets[mix64(reinterpret_cast<std::uintptr_t>(key)) >> (64 - bucket_bits)]; }

}  // namespace

void forget_waiters() {
    for (Bucket& bucket : buckets) renew(bucket);
}

void wait_until(const void* key, bool (*ready)(void* argument), void* argument) {
    Bucket& bucket = bucket_of(key);
    Waiter waiter{key, self()};
    bucket.waiting.fetch_add(1, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_seq_cst);  // pairs with notify_all_at: it sees the count, or we its change
    {
        SpinGuard guard(bucket.lock, arch::pause);
        if (ready(argument)) {
            bucket.waiting.fetch_sub(1, std::memory_order_relaxed);
            return;
        }
        bucket.append(waiter);
    }
    suspend();
}

namespace {

struct Difference {
    const std::atomic<std::uint32_t>& word;
    std::uint32_t value;

    static bool seen(const void* argument) {
        const Difference& look = *static_cast<const Difference*>(argument);
        return look.word.load(std::memory_order_seq_cst) != look.value;  // pairs with the change before notify
    }
    static bool seen_locked(void* argument) { return seen(argument); }
};

}  // namespace

void wait(const std::atomic<std::uint32_t>& word, std::uint32_t value) {
    Difference difference{word, value};
    wait_until(&word, Difference::seen_locked, &difference);
}

std::uint32_t wait_while(const std::atomic<std::uint32_t>& word, std::uint32_t value) {
    const Difference difference{word, value};
    while (!spin_until(Difference::seen, &difference)) wait(word, value);
    return word.load(std::memory_order_acquire);
}

void notify_one_with(const void* key, void (*change)(void* argument, bool found, bool left), void* argument) {
    Bucket& bucket = bucket_of(key);
    Fiber* woken = nullptr;
    {
        SpinGuard guard(bucket.lock, arch::pause);
        Waiter *previous = nullptr, *at = bucket.first;
        for (; at != nullptr && at->key != key; at = at->next) previous = at;
        if (at != nullptr) {
            woken = at->fiber;
            bucket.remove(*at, previous);
            do at = at->next;
            while (at != nullptr && at->key != key);
        }
        change(argument, woken != nullptr, at != nullptr);
    }
    if (woken != nullptr) resume(woken);
}

void notify_all_at(const void* key) {
    std::atomic_thread_fence(std::memory_order_seq_cst);  // pairs with wait_until
    notify_all_behind_change(key);
}

void notify_all_behind_change(const void* key) {
    Bucket& bucket = bucket_of(key);
    if (bucket.waiting.load(std::memory_order_seq_cst) == 0) return;  // seq_cst, behind the change: pairs with wait_until
    Waiter* woken = nullptr;
    Waiter** end = &woken;
    {
        SpinGuard guard(bucket.lock, arch::pause);
        Waiter* previous = nullptr;
        for (Waiter* at = bucket.first; at != nullptr;) {
            Waiter* const next = at->next;
            if (at->key == key) {
                bucket.remove(*at, previous);
                at->next = nullptr;
                *end = at;
                end = &at->next;
            } else {
                previous = at;
            }
            at = next;
        }
    }
    while (woken != nullptr) {
        Waiter* const next = woken->next;  // the waiter's frame is gone once it is resumed
        resume(woken->fiber);
        woken = next;
    }
}

void notify_all(const std::atomic<std::uint32_t>& word) { notify_all_at(&word); }

}  // namespace gossamer::fiber
