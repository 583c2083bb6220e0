// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What other loaded objects define.
#pragma once

namespace gossamer::os {

// The definition of `name` that the dynamic loader finds behind this library's own; null: there is none.
void* next_symbol(const char* name);

// The definition of `name` in any object that the program was loaded with, or opened for all to see; null: there is none.
void* any_symbol(const char* name);

}  // namespace gossamer::os
