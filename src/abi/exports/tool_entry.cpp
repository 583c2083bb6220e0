// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// libomp and libiomp5 export ompt_start_tool themselves, so that a caller always finds a definition. A peer that is loaded
// beside us calls it while it starts, so ours has to pass the call on to a tool behind it.
#include "os/os.hpp"

// OpenMP 5.2, section 19.2.1. Hands the call to the next definition in the loader's search order; null, which means
// "no tool", where there is none. Does not suspend.
extern "C" [[gnu::visibility("default")]] void* ompt_start_tool(unsigned omp_version, const char* runtime_version) {
    using StartTool = void* (*)(unsigned, const char*);
    auto next = reinterpret_cast<StartTool>(gossamer::os::next_symbol("ompt_start_tool"));
    return next == nullptr ? nullptr : next(omp_version, runtime_version);
}
