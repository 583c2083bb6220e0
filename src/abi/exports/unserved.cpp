// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Called by every exported name that the library does not define: ends the program with a line that tells the name, instead of
// going on with a wrong answer (entries.cmake writes the callers).
#include "base/base.hpp"

extern "C" [[noreturn, gnu::cold, gnu::visibility("hidden")]] void gossamer_unserved(const char* name) {
    gossamer::fatal("%s is not served by this version", name);
}
