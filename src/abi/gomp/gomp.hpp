// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What gcc and gfortran pass to the entries of this folder.
#pragma once

#include <cstddef>
#include <cstdint>

#include "abi/export.hpp"
#include "omp/omp.hpp"

namespace gossamer::abi {

using Ull = unsigned long long;

// An outlined function and its only argument.
using Function = void (*)(void* data);

static_assert(sizeof(long) == sizeof(int64_t), "the ABI's long loops are taken for 64-bit ones");

}  // namespace gossamer::abi
