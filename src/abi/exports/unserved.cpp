// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Called by every exported name that the library does not define: ends the program with a line that tells the name, instead of
// going on with a wrong answer (entries.cmake writes the callers). A runtime that was loaded beside this library calls its own
// functions by these names, and the loader leads such a call here: then the line tells that, too.
#include "base/base.hpp"
#include "os/os.hpp"

namespace {

constexpr const char* others[] = {"libiomp5.", "libomp.", "libgomp."};

}  // namespace

extern "C" [[noreturn, gnu::cold, gnu::visibility("hidden")]] void gossamer_unserved(const char* name) {
    for (const char* const other : others) {
        if (!gossamer::os::other_library_is_loaded(other)) continue;
        gossamer::fatal(
            "%s is not served by this version; it may be a call of %sso, which is loaded, too, for a function of its "
            "own: `gossamer run` loads Gossamer in its place",
            name, other);
    }
    gossamer::fatal("%s is not served by this version", name);
}
