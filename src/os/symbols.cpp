// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "os/symbols.hpp"

#include <dlfcn.h>

namespace gossamer::os {

void* next_symbol(const char* name) { return ::dlsym(RTLD_NEXT, name); }

void* any_symbol(const char* name) { return ::dlsym(RTLD_DEFAULT, name); }

}  // namespace gossamer::os
