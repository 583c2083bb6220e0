// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where one waiter of a flag leaves itself. All slots of a flag share a count of the slots that may hold a waiter, so a
// notifier of a flag without sleepers looks at nothing else.
//
//   waiter                                          notifier
//   leave: count + 1, then itself into the slot     makes the condition true
//   looks at the condition                          reads the count: 0: done
//   true: take_back; had it: goes on                for each slot until the count is 0: take; had a waiter: resumes it
//   else: suspends
//
// Dekker's pattern, seq_cst throughout: if "slot filled" comes second in the one order of these steps, the waiter sees the
// condition; if "condition true" does, the notifier sees the count. The exchange on the slot decides which side has the waiter,
// so there is exactly one resume for each suspend.
//
// A waiter whose own step the others wait for (it arrives at a barrier) can fill its slot before that step, and that step
// counts it. Such a waiter is not in the count of sleepers; a mark in the slot tells the notifier that takes it to leave that
// count alone (docs/protocols/waiting.md).
#pragma once

#include <atomic>
#include <cstdint>

#include "base/base.hpp"

namespace gossamer::fiber {

template <class T, class A = StdAtomics>
class BasicSlot {
public:
    using Sleepers = typename A::template Atomic<std::uint32_t>;

    constexpr BasicSlot() = default;
    BasicSlot(const BasicSlot&) = delete;
    BasicSlot& operator=(const BasicSlot&) = delete;

    // The waiter, before its last look at the condition.
    void leave(T* waiter, Sleepers& sleepers) {
        // First the count, then the slot: a notifier lowers the count for each slot it empties. Otherwise the count would be
        // too low for a while, and a notifier that stops at zero would pass over a slot behind this one.
        sleepers.fetch_add(1, std::memory_order_seq_cst);
        waiter_.store(word_of(waiter), std::memory_order_seq_cst);  // pairs with take's look
    }

    // The waiter, before a seq_cst step of its own that tells the notifiers of it; afterwards it looks at every other
    // condition that may end its wait, as after `leave`. release pairs with take: a notifier of another condition may come
    // before that step.
    void fill(T* waiter) { waiter_.store(word_of(waiter) | uncounted, std::memory_order_release); }

    // The waiter, whose condition holds by now. False: a notifier has the waiter, and resumes it.
    bool take_back(Sleepers& sleepers) {
        const std::uintptr_t word = waiter_.exchange(0, std::memory_order_relaxed);
        if (word == 0) return false;
        count_off(word, sleepers);  // relaxed: a notifier that reads too high a count looks once more than it must
        return true;
    }

    // The notifier, which has made the condition true by a seq_cst write. It must resume the waiter that this returns, once.
    T* take(Sleepers& sleepers) {
        if (waiter_.load(std::memory_order_seq_cst) == 0) return nullptr;
        const std::uintptr_t word = waiter_.exchange(0, std::memory_order_acquire);  // pairs with leave's store, and fill's
        if (word == 0) return nullptr;
        count_off(word, sleepers);
        return reinterpret_cast<T*>(word & ~uncounted);
    }

private:
    static constexpr std::uintptr_t uncounted = 1;

    static std::uintptr_t word_of(T* waiter) { return reinterpret_cast<std::uintptr_t>(waiter); }

    static void count_off(std::uintptr_t word, Sleepers& sleepers) {
        static_assert(alignof(T) > uncounted);
        if ((word & uncounted) == 0) sleepers.fetch_sub(1, std::memory_order_relaxed);
    }

    typename A::template Atomic<std::uintptr_t> waiter_{0};
};

}  // namespace gossamer::fiber
