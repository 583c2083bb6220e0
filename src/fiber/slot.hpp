// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where one waiter of a flag leaves itself. Every flag has a count of the slots that may hold somebody, shared by them
// all, so that a notifier of a flag without sleepers looks at nothing else.
//
//   waiter                                          notifier
//   leave: count + 1, then itself into the slot     makes the condition true
//   looks at the condition                          reads the count: 0: done
//   true: take_back; had it: goes on                for each slot until the count is 0: take; had somebody: resumes it
//   else: suspends
//
// Dekker's pattern, seq_cst throughout: whichever of "slot filled" and "condition true" comes second in the one order of
// these, its side sees the other. The exchange on the slot decides who has the waiter, so there is exactly one resume for
// each suspend. docs/protocols/waiting.md tells the rest.
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

    // The waiter, before it looks at its condition for the last time.
    void leave(T* waiter, Sleepers& sleepers) {
        // First the count, then the slot: a notifier takes one off the count for each slot it empties, so the count would
        // otherwise be too small for a while, and one that stops at zero would pass over a slot behind this one.
        sleepers.fetch_add(1, std::memory_order_seq_cst);
        waiter_.store(waiter, std::memory_order_seq_cst);  // pairs with take's look
    }

    // The waiter, whose condition holds by now. False: a notifier has it, and resumes it.
    bool take_back(Sleepers& sleepers) {
        if (waiter_.exchange(nullptr, std::memory_order_relaxed) == nullptr) return false;
        sleepers.fetch_sub(1, std::memory_order_relaxed);  // a hint that is too high costs a look
        return true;
    }

    // The notifier, which has made the condition true by a seq_cst write. The waiter it got is its to resume, once.
    T* take(Sleepers& sleepers) {
        if (waiter_.load(std::memory_order_seq_cst) == nullptr) return nullptr;
        T* const waiter = waiter_.exchange(nullptr, std::memory_order_acquire);  // pairs with leave's store
        if (waiter != nullptr) sleepers.fetch_sub(1, std::memory_order_relaxed);
        return waiter;
    }

private:
    typename A::template Atomic<T*> waiter_{nullptr};
};

}  // namespace gossamer::fiber
