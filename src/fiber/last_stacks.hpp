// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The last stacks: for fibers that have begun, must wait and get no stack from the system
// (docs/decisions/0007-last-stacks.md). They lie in the library's own zeroed memory, of which nothing is committed before it
// is touched.
#pragma once

#include <cstddef>

#include "fiber/context.hpp"

namespace gossamer::fiber {

constexpr std::size_t smallest_stack = 64u << 10;  // of any fiber, in bytes

// One of them, with the memory of the fiber that goes with it. False: all are in use.
struct LastStack {
    void* fiber = nullptr;
    os::Stack stack;
};
bool take_last_stack(LastStack& out);
// After the fiber that lay there is over, and destroyed.
void give_back_last_stack(const Fiber& fiber);
// Whether `fiber` lies there, and not on the heap.
bool is_on_last_stack(const Fiber& fiber);

// The system may grant stacks again: `stacks_ran_out` is over.
void end_shortage_of_stacks();

// In the child of fork: at most the caller's fiber, if it has one, lies there. The system may grant stacks again.
void forget_last_stacks(const Fiber* only);

}  // namespace gossamer::fiber
