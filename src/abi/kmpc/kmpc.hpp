// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What clang, flang and Intel's compilers hand to every entry of this folder.
#pragma once

#include <cstdint>

#include "abi/export.hpp"
#include "omp/omp.hpp"

namespace gossamer::abi {

// Where in the program a construct stands, and what it is.
struct Ident {
    int32_t reserved_1;
    int32_t flags;
    int32_t reserved_2;
    int32_t reserved_3;
    const char* source;  // ";file;function;line;column;;"
};

// The global thread id that entries return. The ones they are given are ignored: omp::current() knows.
inline int32_t global_id() { return static_cast<int32_t>(fiber::self()->id); }

}  // namespace gossamer::abi
