// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Who starts whom where the homes of a team start each other.
//
// A store into a home's line takes a while to leave the processor, and about twice that passes until the home begins. So by the
// time that the primary thread has started two homes, the first can start others. If everyone who runs starts one home after
// another, the numbers that run grow as Fibonacci's: the quickest broadcast where a message takes two steps and a sender can
// send one in each (Bar-Noy and Kipnis, "Designing broadcasting algorithms in the postal model", 1992). In the order in which
// they are started, the numbers F(k) up to F(k+1) are started at the same step, by the numbers 0, 1, 2 …: number n by n - F(k).
#pragma once

#include <cstdint>

namespace gossamer::omp {

// Calls start(child) for each number below `count` that `num` starts, lowest first. True: there are any. Each of 1 … count-1 is
// started by exactly one number, which is lower than itself.
template <class Start>
bool for_each_child(std::uint32_t num, std::uint32_t count, const Start& start) {
    std::uint32_t runs = 1, next = 1;  // at a step: how many numbers run and can start one, and the first that they start
    const auto step = [&] {
        const std::uint32_t sum = runs + next;
        runs = next;
        next = sum;
    };
    while (runs <= num) step();
    const bool any = num + next < count;
    for (; num + next < count; step()) start(num + next);
    return any;
}

}  // namespace gossamer::omp
