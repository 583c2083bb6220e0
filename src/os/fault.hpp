// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Having a word before a memory fault kills the process.
#pragma once

#include <cstddef>

namespace gossamer::os {

// Installs a handler for SIGSEGV and SIGBUS where the program has none, which runs on the native thread's alternate stack. If
// the page was there but not executable, and the fault struck the execution of an instruction, it calls mend(address): true,
// the instruction runs again. Otherwise it calls explain(address), and the fault takes its default course. Both may only call
// what is async-signal-safe; mend may also wait for locks that the executing code cannot hold. False: the program has a handler
// of its own, which stays. `missing`: there was no page at all.
bool explain_faults(void (*explain)(void* address, bool missing), bool (*mend)(void* address));

// Gives the calling native thread an alternate signal stack, in `memory` of at least `alternate_stack_size()` bytes, unless
// it has one already. True if it was taken.
bool use_alternate_stack(void* memory, std::size_t size);
std::size_t alternate_stack_size();
// Before that memory goes. False: the program has put one of its own in its place, which stays, and may put ours back. True,
// too, if the program has none any more.
bool drop_alternate_stack(const void* memory);

}  // namespace gossamer::os
