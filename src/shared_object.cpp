// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What stands in the shared object and nowhere else: stand-ins for the few functions of the C++ run-time library that
// header-only classes refer to. Hidden, so that a program's own run-time library keeps its own.
#include "base/base.hpp"

// std::string_view::substr and its like, on a position past the end. No caller of ours lets it come to that.
extern "C" [[noreturn, gnu::visibility("hidden")]] void gossamer_out_of_range(const char* format, ...) __asm__(
    "_ZSt24__throw_out_of_range_fmtPKcz");

void gossamer_out_of_range(const char* format, ...) { gossamer::fatal("a position is out of range: %s", format); }
