// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How long a home looks for work before it parks, learned from the gaps between its pieces of work.
//
// A gap longer than the most that the home may look makes its patience a quarter, down to a thirty-second part of that; a
// shorter gap doubles it. So a home that mostly waits long looks only briefly. In between, a gap that came from a sibling's
// preemption, and not from the program, costs one long look and no more.
//
// Only the home's own carrier touches it. Times in arch::cycles; `most` is the limit that the settings give.
#pragma once

#include <cstdint>

#include "base/base.hpp"

namespace gossamer::fiber {

class Patience {
public:
    /// How long to look now, at least most / 32.
    std::uint64_t get(std::uint64_t most) {
        const std::uint64_t least = most / parts;
        if (cycles_ > most || cycles_ == 0) cycles_ = most;
        return cycles_ < least ? least : cycles_;
    }

    /// Work came within `most`.
    void short_gap(std::uint64_t most) {
        if (GOSSAMER_UNLIKELY(cycles_ < most)) cycles_ *= 2;
    }

    /// Work came after `gap`.
    void learn(std::uint64_t gap, std::uint64_t most) {
        if (gap < most) {
            short_gap(most);
        } else if (cycles_ > most / parts) {
            cycles_ /= 4;
        }
    }

private:
    static constexpr std::uint64_t parts = 32;

    std::uint64_t cycles_ = 0;  // 0: nothing is learned yet
};

}  // namespace gossamer::fiber
