// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What other loaded objects define.
#pragma once

#include <string_view>

namespace gossamer::os {

// The definition of `name` that the dynamic loader finds behind this library's own; null: there is none.
void* next_symbol(const char* name);

// The definition of `name` in any object that the program was loaded with, or opened for all to see; null: there is none.
void* any_symbol(const char* name);

// Whether a library other than this one is loaded whose file's name begins with `name`. Takes a lock of the loader's.
bool other_library_is_loaded(std::string_view name);

}  // namespace gossamer::os
