// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How often a carrier may move away from another one that it finds on its processor (company.cpp). Where the kernel puts the
// two together again at once, as it does while a program's first threads begin, the next move may follow soon. Moves that do
// not help, because other programs fill the processors, become rare: each pause is twice as long as the last one, up to a
// limit, until there was no need to move for a while.
//
// Only the carrier's own native thread touches it. Times in arch::cycles.
#pragma once

#include <cstdint>

namespace gossamer::fiber {

class Moving {
public:
    /// The times in arch::cycles, of which there are `rate` a nanosecond.
    struct Times {
        explicit Times(double rate) : least(of(500'000, rate)), most(of(10'000'000, rate)), calm(of(100'000'000, rate)) {}
        std::uint64_t least;  // the pause behind a first move,
        std::uint64_t most;   // and the longest
        std::uint64_t calm;   // a carrier that has not moved for so long begins anew

    private:
        static std::uint64_t of(double ns, double rate) { return static_cast<std::uint64_t>(ns * rate); }
    };

    /// Whether the carrier may move now. True: it counts as a move, whether or not there is a place to go to.
    bool may_move(std::uint64_t now, const Times& times) {
        const std::uint64_t since = now - moved_;
        if (moved_ != 0 && since < pause_) return false;
        const std::uint64_t next = 2 * pause_ < times.most ? 2 * pause_ : times.most;
        pause_ = moved_ == 0 || since >= times.calm ? times.least : next;
        moved_ = now;
        return true;
    }

private:
    std::uint64_t moved_ = 0;  // when it moved last; 0: it never did
    std::uint64_t pause_ = 0;  // before the next move
};

}  // namespace gossamer::fiber
