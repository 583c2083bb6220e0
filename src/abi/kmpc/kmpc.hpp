// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What clang, flang and Intel's compilers pass to every entry of this folder.
#pragma once

#include <cstdint>

#include "abi/export.hpp"
#include "omp/omp.hpp"

namespace gossamer::abi {

// A construct's source location and flags.
struct Ident {
    int32_t reserved_1;
    int32_t flags;
    int32_t reserved_2;
    int32_t reserved_3;
    const char* source;  // ";file;function;line;column;;"
};

// The global thread id that entries return. They ignore the ids that they are given: omp::current() knows the caller.
inline int32_t global_id() { return static_cast<int32_t>(fiber::self()->id); }

}  // namespace gossamer::abi
