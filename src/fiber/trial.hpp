// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds by trial whether a measure helps. Time is cut into windows, in each of which the measure is on or off; what counts is
// how much came of each kind. Many windows of the better kind are followed by one of the other; few at first, since the first
// windows, while everything else still begins, tell little.
#pragma once

#include <cstdint>

namespace gossamer::fiber {

class Trial {
public:
    static constexpr double worth_it = 1.15;        // windows with the measure must yield this many times as much
    static constexpr std::uint32_t most_kept = 32;  // windows of the better kind between two of the other

    /// The first window: the measure is off. `doubtful`: it is not tried before most_kept windows.
    void begin(bool doubtful) {
        *this = Trial();
        if (doubtful) kept_ = most_kept;
    }

    bool is_on() const { return on_; }

    /// Ends a window that took `ns` (above 0) and yielded `count`. Returns whether the measure is on in the next.
    bool next(std::uint64_t count, std::uint64_t ns) {
        Yield& yield = on_ ? with_ : without_;
        if (windows_ == 0 || on_ != keeps_) yield = Yield();  // older counts are out of date
        yield.count += count;
        yield.ns += ns;
        if (on_ == keeps_) {
            on_ = ++windows_ < kept_ ? keeps_ : !keeps_;
            return on_;
        }
        // Neither kind yielded anything, so perhaps nothing can: the measure stays on.
        keeps_ = with_.rate() > worth_it * without_.rate() || (with_.count == 0 && without_.count == 0);
        windows_ = 0;
        if (kept_ < most_kept) kept_ *= 2;
        on_ = keeps_;
        return on_;
    }

private:
    struct Yield {
        std::uint64_t count = 0;
        std::uint64_t ns = 0;
        double rate() const { return static_cast<double>(count) / static_cast<double>(ns); }
    };

    bool on_ = false;            // in this window
    bool keeps_ = false;         // the better kind, as far as is known
    std::uint32_t windows_ = 0;  // of the better kind, since the other was tried,
    std::uint32_t kept_ = 1;     // and how many of them there are to be
    Yield with_, without_;
};

}  // namespace gossamer::fiber
