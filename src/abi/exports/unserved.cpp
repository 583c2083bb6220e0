// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where every exported name ends that no room of the library defines yet: the program stops with one line that says
// which name it was, instead of going on with a wrong answer (entries.cmake writes the callers).
#include "base/base.hpp"

extern "C" [[noreturn, gnu::cold, gnu::visibility("hidden")]] void gossamer_unserved(const char* name) {
    gossamer::fatal("%s is not served by this version", name);
}
