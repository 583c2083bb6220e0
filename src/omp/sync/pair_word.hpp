// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The barrier of a team of two in one word: twice the generation, plus one while one of the two threads waits. Only the word's
// line has to move: to the second thread, and back to the first, which spins on it (docs/protocols/barrier.md).
//
//   even   no thread waits; the last barrier has left this value
//   odd    the first thread has arrived. The upper half tells whether it had left itself in its slot before
//
// The thread that changes the word from even to odd is the first, and waits until the word changes again. The thread that finds
// it odd is the second, and stores the next even number.
//
// Each thread remembers what its last barrier has left and tries that at once, for a load would fetch the line without the
// right to change it. If the word was reset since, a second try succeeds.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/base.hpp"

namespace gossamer::omp {

template <class A = StdAtomics>
struct BasicPairWord {
    using Word = typename A::template Atomic<std::uint64_t>;
    using Order = std::memory_order;

    static constexpr std::uint64_t one_asleep = std::uint64_t{1} << 32;

    struct Arrival {
        bool first;
        std::uint64_t odd;  // the word while the first thread waits
    };

    // `remembered`: the caller's, from barrier to barrier; any number at first.
    // `asleep`: the caller has left itself in its slot.
    static Arrival arrive(Word& word, std::uint32_t& remembered, bool asleep) {
        std::uint64_t seen = remembered;
        for (;;) {
            const std::uint64_t odd = seen | 1 | (asleep ? one_asleep : 0);
            remembered = static_cast<std::uint32_t>(odd) + 1;
            // The first thread releases, and the second acquires (either order) and passes on what both did. seq_cst: a thread
            // that has left itself in its slot looks next whether anything else ends its wait; pairs with
            // Barrier::anyone_sleeps.
            if (word.compare_exchange_strong(seen, odd, Order::seq_cst, Order::acquire)) return {true, odd};
            if ((seen & 1) != 0) break;
        }
        remembered = static_cast<std::uint32_t>(seen) + 1;
        return {false, seen};
    }

    // By the second thread, when both may go on. It has to look for a sleeper afterwards.
    static void release(Word& word, std::uint32_t remembered) { word.store(remembered, Order::seq_cst); }

    // Whether the first thread may go on. seq_cst pairs with `release`, behind the increment of Barrier::sleepers.
    static bool is_released(const Word& word, std::uint64_t odd) { return word.load(Order::seq_cst) != odd; }

    // Whether the other thread waits already. Only for a thread that gives way to others on its carrier: the line is mostly
    // there. relaxed: the caller only chooses how to wait; `arrive` decides.
    static bool seems_met(const Word& word) { return (word.load(Order::relaxed) & 1) != 0; }
};

using PairWord = BasicPairWord<>;

}  // namespace gossamer::omp
