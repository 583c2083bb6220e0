// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The environment's display (OpenMP 5.2 §18.15), tool control (§18.14), and what `gossamer info` prints.
#include "abi/api/fortran.hpp"
#include "omp/omp.hpp"

GOSSAMER_EXPORT void omp_display_env(int verbose) { gossamer::omp::display_environment(verbose != 0); }
GOSSAMER_EXPORT void omp_display_env_(const std::int32_t* verbose) { omp_display_env(*verbose != 0); }
GOSSAMER_EXPORT void omp_display_env_8_(const std::int64_t* verbose) { omp_display_env(*verbose != 0); }

// There is no tool (omp_control_tool_notool is -2).
GOSSAMER_EXPORT int omp_control_tool(int, int, void*) { return -2; }
GOSSAMER_EXPORT int omp_control_tool_(const std::int32_t*, const std::int32_t*) { return -2; }
GOSSAMER_EXPORT int omp_control_tool_8_(const std::int64_t*, const std::int64_t*) { return -2; }

// The carriers, places and settings of this process, and where each setting came from. Writes at most `size` bytes, the
// terminating zero among them; returns the length of the whole text. Never suspends.
GOSSAMER_EXPORT std::size_t gossamer_info(char* buffer, std::size_t size) {
    gossamer::omp::TextSink sink(buffer, buffer == nullptr ? 0 : size);
    gossamer::omp::describe_settings(sink);
    return sink.finish();
}
