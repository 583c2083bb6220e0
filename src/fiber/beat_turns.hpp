// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How many beaters take turns on each processor (beat.cpp): as few as bring most of the beats that are due.
#pragma once

#include <cstdint>

namespace gossamer::fiber {

class BeatTurns {
public:
    static constexpr std::uint32_t most = 3;

    std::uint32_t now() const { return now_; }

    /// An interval has ended in which `due` beats were to come, and `came` did. True: one more takes turns from now on.
    bool end_interval(std::uint64_t came, std::uint64_t due) {
        few_ = came < due * few_percent / 100 ? few_ + 1 : 0;
        if (few_ < few_in_a_row || now_ == most) return false;
        few_ = 0;
        ++now_;
        return true;
    }

private:
    static constexpr std::uint64_t few_percent = 60;  // of those due, or less, are too few,
    static constexpr std::uint32_t few_in_a_row = 2;  // if that is so in so many intervals: the first ones tell little

    std::uint32_t now_ = 1;
    std::uint32_t few_ = 0;
};

}  // namespace gossamer::fiber
