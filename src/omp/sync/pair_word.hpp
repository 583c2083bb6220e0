// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The barrier of a team of two in one word: twice the generation, plus one while one of the two waits. The line that the second
// one brings home from the first is all that has to move, and the first looks at it where it is (docs/protocols/barrier.md).
//
//   word   even: nobody waits; that is what the last barrier has left
//          odd: the first has arrived. The upper half tells whether it had left itself in its slot before
//   who    changes the word from even to odd is the first, and waits until it is another one; who fails to is the second, and
//          stores the next even number
//
// Each thread remembers what its last barrier has left and tries that at once, for a look at the word would fetch the line once
// without the right to change it. Where the word was reset since, it takes a second try.
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
        std::uint64_t odd;  // the word while the first one waits
    };

    // `remembered`: the caller's, for its next barrier; any number at first. `asleep`: it lies in its slot.
    static Arrival arrive(Word& word, std::uint32_t& remembered, bool asleep) {
        std::uint64_t seen = remembered;
        for (;;) {
            const std::uint64_t odd = seen | 1 | (asleep ? one_asleep : 0);
            remembered = static_cast<std::uint32_t>(odd) + 1;
            // Release by the first, acquire by the second, which passes on what both did; seq_cst for one that has left itself,
            // and then looks at what else may end its wait.
            if (word.compare_exchange_strong(seen, odd, Order::seq_cst, Order::acquire)) return {true, odd};
            if ((seen & 1) != 0) break;
        }
        remembered = static_cast<std::uint32_t>(seen) + 1;
        return {false, seen};
    }

    // The second one, when both may go on. It looks for sleepers afterwards.
    static void release(Word& word, std::uint32_t remembered) { word.store(remembered, Order::seq_cst); }

    // The first one: whether it may. seq_cst pairs with `release`, behind its count among the sleepers.
    static bool is_released(const Word& word, std::uint64_t odd) { return word.load(Order::seq_cst) != odd; }

    // Whether the other one waits already. Only for who has to give way to others on its carrier, and has the line mostly there.
    // relaxed: by it one chooses how to wait, and `arrive` finds out.
    static bool seems_met(const Word& word) { return (word.load(Order::relaxed) & 1) != 0; }
};

using PairWord = BasicPairWord<>;

}  // namespace gossamer::omp
