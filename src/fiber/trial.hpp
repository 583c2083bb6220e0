// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether something helps, found by trying: time is cut into windows, in each of which it is on or off, and what counts is how much
// came of them. One window of the other kind follows many of the one that is kept; at first few, since what comes first, while all
// else still begins, tells little.
#pragma once

#include <cstdint>

namespace gossamer::fiber {

class Trial {
public:
    static constexpr double worth_it = 1.15;        // times as much must come of windows in which it is on
    static constexpr std::uint32_t most_kept = 32;  // windows between two of the other kind

    /// The first window: it is off. `doubtful`: it is not tried before long.
    void begin(bool doubtful) {
        *this = Trial();
        if (doubtful) kept_ = most_kept;
    }

    bool is_on() const { return on_; }

    /// At the end of a window that took `ns` (above 0), and of which `count` came. Whether it is on in the next.
    bool next(std::uint64_t count, std::uint64_t ns) {
        Yield& yield = on_ ? with_ : without_;
        if (windows_ == 0 || on_ != keeps_) yield = Yield();  // what is older is too old
        yield.count += count;
        yield.ns += ns;
        if (on_ == keeps_) {
            on_ = ++windows_ < kept_ ? keeps_ : !keeps_;
            return on_;
        }
        // Where nothing comes either way it may be that nothing can: on.
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
    bool keeps_ = false;         // what is better, as far as is known
    std::uint32_t windows_ = 0;  // of the better kind, since the other was tried,
    std::uint32_t kept_ = 1;     // and how many there are to be
    Yield with_, without_;
};

}  // namespace gossamer::fiber
