// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A work-stealing deque: the owner pushes and pops at the bottom, any number of thieves take from the top.
//
// After Chase and Lev, "Dynamic circular work-stealing deque" (SPAA 2005), with the memory orders of Lê, Pop, Cohen and
// Zappa Nardelli, "Correct and efficient work-stealing for weak memory models" (PPoPP 2013). docs/protocols/deque.md lists
// the deviations, and why each is safe.
//
// Invariants
//   1. top_ only grows. An index below top_ never names an item again.
//   2. The item at index i lies in slot i & mask of the ring that was current when i was pushed, and of every later ring.
//   3. Index i leaves the deque either by a compare-and-swap of top_ from i to i + 1, or by a pop of the owner that read a
//      top_ below i after its fence; never by both (the fences of pop and look pair up).
//   4. Only the owner stores bottom_, with release: a thread that reads the value b also sees the slots below b and a ring
//      that holds them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <type_traits>

#include "base/base.hpp"

namespace gossamer::fiber {

/// T is trivially copyable and at most a pointer wide; its value-initialised state (null) means "none". The ring starts with
/// first_capacity slots, at the first push, and doubles.
template <class T, class A = StdAtomics, std::int64_t first_capacity = 64>
class Deque {
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= sizeof(void*));
    static_assert(first_capacity > 0 && (first_capacity & (first_capacity - 1)) == 0);

public:
    /// What a thief saw at the top: an item and its index.
    struct Top {
        std::int64_t index;
        T item;  ///< null: the deque was empty
    };

    constexpr Deque() = default;
    Deque(const Deque&) = delete;
    Deque& operator=(const Deque&) = delete;

    /// No other thread may be using the deque any more.
    ~Deque() {
        for (Ring* ring = ring_.load(std::memory_order_relaxed); ring != nullptr;) {
            Ring* const older = ring->older;
            Ring::destroy(ring);
            ring = older;
        }
    }

    /// Owner. Adds the newest item (not null). False: no memory to grow, and the deque is unchanged.
    bool push(T item) {
        if (full()) [[unlikely]] {
            // acquire pairs with the compare-and-swap of remove_top: the thief has read the slot that we may now reuse.
            top_seen_ = top_.load(std::memory_order_acquire);
            if (full() && !grow(bottom_.load(std::memory_order_relaxed))) return false;
        }
        push_in_room(item);
        return true;
    }

    /// Owner. The same where `full` says no.
    void push_in_room(T item) {
        const std::int64_t bottom = bottom_.load(std::memory_order_relaxed);
        ring_.load(std::memory_order_relaxed)->slot(bottom).store(item, std::memory_order_relaxed);
        bottom_.store(bottom + 1,
                      std::memory_order_release);  // pairs with look: slot and ring are visible to it
    }

    /// Owner. Whether the next push has to read top_, and to grow the ring unless thieves have made room.
    bool full() const { return bottom_.load(std::memory_order_relaxed) - top_seen_ >= capacity_; }

    /// Owner. Takes the newest item; null when there is none, or a thief took the last one first.
    T pop() {
        const T item = peek();
        return item == T{} ? item : pop_seen(item);
    }

    /// Owner. The same, right behind a `peek` that has returned `item`, not null.
    T pop_seen(T item) {
        const std::int64_t bottom = bottom_.load(std::memory_order_relaxed) - 1;
        bottom_.store(bottom, std::memory_order_release);  // pairs with look, see invariant 4
        A::fence(std::memory_order_seq_cst);               // pairs with look: it sees this bottom, or we see its top
        std::int64_t top = top_.load(std::memory_order_relaxed);
        if (top < bottom) return item;
        // The last item: owner and thieves compete for it. Only top_ itself is at stake, so its coherence is enough.
        if (top > bottom ||
            !top_.compare_exchange_strong(top, bottom + 1, std::memory_order_relaxed, std::memory_order_relaxed)) {
            item = T{};
        }
        bottom_.store(bottom + 1, std::memory_order_relaxed);  // a release, by the fence above
        return item;
    }

    /// Owner. The newest item, left in place; null when there is none. A thief may be taking it at this moment, but only if it
    /// is the last item: without a push in between, the next pop returns this very item or null.
    T peek() const {
        const std::int64_t bottom = bottom_.load(std::memory_order_relaxed) - 1;
        // A stale top_ is too small, so this test passes only for a truly empty deque; it saves pop its fence.
        if (top_.load(std::memory_order_relaxed) > bottom) return T{};
        return ring_.load(std::memory_order_relaxed)->slot(bottom).load(std::memory_order_relaxed);
    }

    /// Any thread. Takes the oldest item; null when the deque was empty. Retries a lost race: each loss means that another
    /// thread took an item.
    T steal() {
        for (;;) {
            bool lost = false;
            const T item = try_steal(lost);
            if (!lost) return item;
        }
    }

    /// Any thread. One attempt at steal. Null with `lost` set: another thread was faster, so the deque may hold more.
    T try_steal(bool& lost) {
        const Top top = look();
        if (top.item == T{} || remove_top(top)) {
            lost = false;
            return top.item;
        }
        lost = true;
        return T{};
    }

    /// Any thread. The oldest item, left in place. The item may have left the deque by the time the caller looks at what it
    /// points to: such memory must be type-stable, and the caller must take part in it by an atomic step of its own.
    Top peek_top() const { return look(); }

    /// Any thread. Removes the item that peek_top returned, which was not null. True: this call, and no other, took it. False:
    /// the item had left the deque before.
    bool remove_top(Top seen) {
        // release pairs with push's acquire: the thief has read the slot before the owner reuses it.
        return top_.compare_exchange_strong(seen.index, seen.index + 1, std::memory_order_release, std::memory_order_relaxed);
    }

    /// Any thread. Number of items at some moment during the call, for choosing a victim; two relaxed loads.
    std::size_t size_hint() const {
        const std::int64_t top = top_.load(std::memory_order_relaxed);
        const std::int64_t bottom = bottom_.load(std::memory_order_relaxed);
        return bottom > top ? static_cast<std::size_t>(bottom - top) : 0;
    }

    /// Any thread. Enough, behind a seq_cst fence, for the look before parking: the caller sees what another thread pushed
    /// before that thread's own fence, unless it has been taken.
    bool empty_hint() const { return size_hint() == 0; }

private:
    struct Ring {
        using Slot = typename A::template Atomic<T>;

        Ring* older;
        std::int64_t mask;

        Slot& slot(std::int64_t index) { return std::launder(reinterpret_cast<Slot*>(this + 1))[index & mask]; }

        static Ring* create(std::int64_t capacity, Ring* older) {
            static_assert(alignof(Slot) <= alignof(Ring) && sizeof(Ring) % alignof(Slot) == 0);
            void* const memory = std::malloc(sizeof(Ring) + static_cast<std::size_t>(capacity) * sizeof(Slot));
            if (memory == nullptr) return nullptr;
            Ring* const ring = ::new (memory) Ring{older, capacity - 1};
            for (std::int64_t i = 0; i < capacity; ++i) ::new (reinterpret_cast<Slot*>(ring + 1) + i) Slot(T{});
            return ring;
        }

        static void destroy(Ring* ring) {
            for (std::int64_t i = 0; i <= ring->mask; ++i) ring->slot(i).~Slot();
            std::free(ring);
        }
    };

    /// The first half of steal and peek_top.
    Top look() const {
        const std::int64_t top = top_.load(std::memory_order_relaxed);
        A::fence(std::memory_order_seq_cst);  // pairs with pop: it sees this top, or we see its bottom
        const std::int64_t bottom = bottom_.load(std::memory_order_acquire);  // pairs with push and pop
        if (top >= bottom) return {top, T{}};
        // acquire pairs with grow. The ring is at least as new as the push of index `top`; if it has been replaced since, it
        // still holds that item, because a replaced ring is never written again.
        Ring* const ring = ring_.load(std::memory_order_acquire);
        return {top, ring->slot(top).load(std::memory_order_relaxed)};
    }

    /// Doubles the ring. Thieves may still read the old one, so it is kept until the deque dies: all old rings together are
    /// smaller than the current one.
    [[gnu::noinline, gnu::cold]] bool grow(std::int64_t bottom) {
        Ring* const old = ring_.load(std::memory_order_relaxed);
        const std::int64_t capacity = old == nullptr ? first_capacity : 2 * capacity_;
        Ring* const ring = Ring::create(capacity, old);
        if (ring == nullptr) return false;
        for (std::int64_t i = top_seen_; i < bottom; ++i) {
            ring->slot(i).store(old->slot(i).load(std::memory_order_relaxed), std::memory_order_relaxed);
        }
        ring_.store(ring, std::memory_order_release);  // pairs with look
        capacity_ = capacity;
        return true;
    }

    // Thieves write top_; the owner writes the rest at every push and pop, and would otherwise drag top_'s line along.
    alignas(no_share) typename A::template Atomic<std::int64_t> top_{0};
    alignas(no_share) typename A::template Atomic<std::int64_t> bottom_{0};
    typename A::template Atomic<Ring*> ring_{nullptr};
    std::int64_t top_seen_ = 0;  // owner: a top_ read earlier, so never more than top_ is now
    std::int64_t capacity_ = 0;  // owner: slots in the current ring
};

}  // namespace gossamer::fiber
