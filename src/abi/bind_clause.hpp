// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

#include "omp/omp.hpp"

namespace gossamer::abi {

// The proc_bind clause as all ABIs number it; unset: there is none, or it says nothing. primary has two numbers, since
// clang tells it from master.
constexpr omp::Bind bind_clause(uint32_t number) {
    switch (number) {
        case 2:
        case 5: return omp::Bind::primary;
        case 3: return omp::Bind::close;
        case 4: return omp::Bind::spread;
        default: return omp::Bind::unset;
    }
}

}  // namespace gossamer::abi
