// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The proc_bind clause (OpenMP 5.2 §10.1.4) as all ABIs number it.
#pragma once

#include <cstdint>

#include "omp/omp.hpp"

namespace gossamer::abi {

// unset: there is no clause. primary has two numbers, since clang tells it from master.
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
