// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A thread's portion of a loop whose chunks need not come in increasing order (OpenMP 5.2 §11.5.3, nonmonotonic): a
// range of chunk numbers in one word, on a line of its own, which only thieves share with it.
//
// Word: number of the loop in its slot (`epoch`), end, begin; chunks [begin, end) are left. begin may be end + 1, since
// the owner takes without looking: that is empty too.
//
//   foreign  the epoch is not the loop's: no thread has touched the portion. It stands for its owner's static block, so
//            no thread has to wait for a sibling that comes late, and nothing is set up for a sibling that never comes.
//   open     the owner, or the first thief, has put that block there, less what it took.
//   empty    of this epoch. Only the owner changes it: it fills in what it has stolen from others.
//
// Each chunk is in exactly one word, or in the hands of a thief that is about to put it into its own, until it is taken;
// every take is one read-modify-write of that word. A word that comes back (ABA) holds the chunks it says, so the take is
// good. A thief that sees no chunk may leave while another thief carries chunks from word to word: the latter runs them. So
// a thief takes all of an untouched portion only where the team's threads wait for carriers (worksharing_loop.cpp).
//
// Orders are relaxed throughout: the words order nothing but themselves. Entering and leaving the construct's share
// orders them against the slot's next loop, and the program has to order what the iterations do.
#pragma once

#include <cstdint>

#include "base/base.hpp"

namespace gossamer::omp {

template <class A = StdAtomics>
class BasicPortion {
public:
    static constexpr uint32_t last_epoch = (1u << 12) - 1;  // no loop has epoch 0
    static constexpr uint32_t most = (1u << 26) - 2;        // chunk numbers are below this: begin may pass it by one

    struct Range {
        uint32_t begin = 0;
        uint32_t end = 0;
        bool empty() const { return begin >= end; }
    };

    constexpr BasicPortion() = default;
    BasicPortion(const BasicPortion&) = delete;
    BasicPortion& operator=(const BasicPortion&) = delete;

    // Owner, before its first take: puts its block into the portion unless a thief has done so.
    void open(uint32_t epoch, Range block) {
        uint64_t word = word_.load(std::memory_order_relaxed);
        while (epoch_of(word) != epoch) {
            if (word_.compare_exchange_weak(word, pack(epoch, block), std::memory_order_relaxed, std::memory_order_relaxed)) {
                return;
            }
        }
    }

    // Owner of an open portion. Takes the first chunk; false when none is left, and then it must not ask again before it
    // has filled the portion anew.
    bool take_first(uint32_t& chunk) {
        const Range left = range_of(word_.fetch_add(1, std::memory_order_relaxed));
        chunk = left.begin;
        return !left.empty();
    }

    // Owner of an open portion. Takes the first half, at least one chunk; empty when none is left.
    Range take_front_half() {
        uint64_t word = word_.load(std::memory_order_relaxed);
        for (;;) {
            const Range left = range_of(word);
            if (left.empty()) return {};
            const uint32_t cut = left.begin + (left.end - left.begin + 1) / 2;
            if (word_.compare_exchange_weak(word, pack(epoch_of(word), {cut, left.end}), std::memory_order_relaxed,
                                            std::memory_order_relaxed)) {
                return {left.begin, cut};
            }
        }
    }

    // Thief. Takes the last half, at least one chunk, of what is left, or of the owner's block if no thread has touched the
    // portion; with `all_of_it` the whole block in the latter case. Empty when none is left.
    Range steal(uint32_t epoch, Range block, bool all_of_it) {
        uint64_t word = word_.load(std::memory_order_relaxed);
        for (;;) {
            const bool open = epoch_of(word) == epoch;
            const Range left = open ? range_of(word) : block;
            if (left.empty()) return {};
            const uint32_t cut = all_of_it && !open ? left.begin : left.end - (left.end - left.begin + 1) / 2;
            if (word_.compare_exchange_weak(word, pack(epoch, {left.begin, cut}), std::memory_order_relaxed,
                                            std::memory_order_relaxed)) {
                return {cut, left.end};
            }
        }
    }

    // Owner of an empty portion of this epoch: puts stolen chunks there, where thieves find them.
    void fill(uint32_t epoch, Range stolen) { word_.store(pack(epoch, stolen), std::memory_order_relaxed); }

    // When the epochs begin anew, while no thread is in a loop of the slot.
    void forget() { word_.store(0, std::memory_order_relaxed); }

private:
    static constexpr uint32_t bits = 26;
    static constexpr uint64_t mask = (uint64_t{1} << bits) - 1;

    static constexpr uint64_t pack(uint32_t epoch, Range range) {
        return uint64_t{epoch} << 2 * bits | uint64_t{range.end} << bits | range.begin;
    }
    static constexpr uint32_t epoch_of(uint64_t word) { return static_cast<uint32_t>(word >> 2 * bits); }
    static constexpr Range range_of(uint64_t word) {
        return {static_cast<uint32_t>(word & mask), static_cast<uint32_t>(word >> bits & mask)};
    }

    typename A::template Atomic<uint64_t> word_{0};
};

using Portion = BasicPortion<>;

}  // namespace gossamer::omp
