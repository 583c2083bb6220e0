// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A fence that one thread runs on behalf of all, so that the frequent side of a protocol needs none.
#pragma once

namespace gossamer::os {

// Registers the process for heavy_fence, once (the library does so as it is loaded, while the process has one
// thread); false where the kernel cannot do it: then both sides of the protocol have to use ordinary seq_cst
// fences. Decide by it before the protocol's first step.
bool asymmetric_fence_ready();

// When this returns true, every thread of the process has passed a full fence between the call and the
// return: its partner's side then needs only a compiler fence. False where asymmetric_fence_ready is false;
// nothing was fenced then but the caller. Costs microseconds and interrupts all running threads of the
// process; much more if the system refuses later what it has granted when it was asked.
bool heavy_fence();

}  // namespace gossamer::os
