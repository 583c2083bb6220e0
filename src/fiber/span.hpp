// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A range of numbers [lo, hi) that owner and thieves split: the owner takes from the front, a thief takes the upper half.
//
// One word holds both ends, so every take is one compare-and-swap and each number is handed out exactly once.
//
// A span lies in type-stable memory and is armed again for later regions, so a thief may hold a pointer to it, and even a
// value of its word, from a region that is over. That is harmless: the thief's compare-and-swap succeeds only if the word
// holds that value *now*, and then the numbers are those of the current arming, so the thief takes part in the region that
// the span serves at that moment. The take reads from the arming's store, or from takes that continue its release sequence,
// so the thief sees the plain fields around the span as that arming left them. They stay so until the thief reports its
// numbers done, because the region cannot end before.
//
// The caller's duties:
//   - it reads the fields around the span only after a take succeeded, never to decide whether to take;
//   - it arms the span only while the span is empty and every number of the last arming has been reported done.
#pragma once

#include <cstdint>

#include "base/base.hpp"

namespace gossamer::fiber {

template <class A = StdAtomics>
class BasicSpan {
public:
    constexpr BasicSpan() = default;
    BasicSpan(const BasicSpan&) = delete;
    BasicSpan& operator=(const BasicSpan&) = delete;

    /// Owner. Offers [lo, hi), and publishes every plain field written before. lo >= hi offers nothing.
    void arm(std::uint32_t lo, std::uint32_t hi) {
        word_.store(pack(lo, hi), std::memory_order_release);  // pairs with take
    }

    /// Any thread. Takes the lowest number. False when none is left.
    bool take_first(std::uint32_t& number) {
        return take_first_unless([] { return false; }, number);
    }

    /// The same. Also false when `stop`, which is asked only if a number is left, says so.
    template <class Stop>
    bool take_first_unless(const Stop& stop, std::uint32_t& number) {
        std::uint64_t word = word_.load(std::memory_order_relaxed);
        while (size(word) != 0) {
            if (stop()) return false;
            const std::uint32_t lo = low(word);
            if (take(word, word + 1)) {  // lo + 1 <= hi: nothing is carried into hi
                number = lo;
                return true;
            }
        }
        return false;
    }

    /// Any thread. Takes the highest number. False when none is left.
    bool take_last(std::uint32_t& number) {
        std::uint64_t word = word_.load(std::memory_order_relaxed);
        while (size(word) != 0) {
            const std::uint32_t last = high(word) - 1;
            if (take(word, pack(low(word), last))) {
                number = last;
                return true;
            }
        }
        return false;
    }

    /// Any thread. Takes the upper half [lo, hi), rounded up, so at least one number. False when none is left.
    bool take_half(std::uint32_t& lo, std::uint32_t& hi) {
        std::uint64_t word = word_.load(std::memory_order_relaxed);
        while (const std::uint32_t count = size(word)) {
            const std::uint32_t end = high(word);
            const std::uint32_t cut = end - (count - count / 2);
            if (take(word, pack(low(word), cut))) {
                lo = cut;
                hi = end;
                return true;
            }
        }
        return false;
    }

    /// Any thread. How many numbers were left at some moment of the call; says nothing about the fields around.
    std::uint32_t size_hint() const { return size(word_.load(std::memory_order_relaxed)); }
    bool empty() const { return size_hint() == 0; }

private:
    static constexpr std::uint64_t pack(std::uint32_t lo, std::uint32_t hi) { return std::uint64_t{hi} << 32 | lo; }
    static constexpr std::uint32_t low(std::uint64_t word) { return static_cast<std::uint32_t>(word); }
    static constexpr std::uint32_t high(std::uint64_t word) { return static_cast<std::uint32_t>(word >> 32); }
    static constexpr std::uint32_t size(std::uint64_t word) { return high(word) > low(word) ? high(word) - low(word) : 0; }

    bool take(std::uint64_t& word, std::uint64_t rest) {
        // acquire pairs with arm.
        return word_.compare_exchange_weak(word, rest, std::memory_order_acquire, std::memory_order_relaxed);
    }

    typename A::template Atomic<std::uint64_t> word_{0};
};

using Span = BasicSpan<>;

}  // namespace gossamer::fiber
