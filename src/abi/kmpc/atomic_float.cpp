// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// __kmpc_atomic_float{4,8,10,16}*: real numbers.
#include "abi/kmpc/atomic_operations.hpp"
#include "abi/kmpc/atomic_types.hpp"

namespace gossamer::abi {

#define GOSSAMER_FLOAT(width)                                                                            \
    GOSSAMER_ATOMIC_BOTH(float##width##_add, , Float##width, Float##width, add)                          \
    GOSSAMER_ATOMIC_BOTH(float##width##_sub, , Float##width, Float##width, sub)                          \
    GOSSAMER_ATOMIC_BOTH(float##width##_mul, , Float##width, Float##width, mul)                          \
    GOSSAMER_ATOMIC_BOTH(float##width##_div, , Float##width, Float##width, div)                          \
    GOSSAMER_ATOMIC_BOTH(float##width##_max, , Float##width, Float##width, max)                          \
    GOSSAMER_ATOMIC_BOTH(float##width##_min, , Float##width, Float##width, min)                          \
    GOSSAMER_ATOMIC_BOTH(float##width##_sub, _rev, Float##width, Float##width, Reversed<operation::sub>) \
    GOSSAMER_ATOMIC_BOTH(float##width##_div, _rev, Float##width, Float##width, Reversed<operation::div>) \
    GOSSAMER_ATOMIC_ACCESS(float##width, Float##width)

GOSSAMER_FLOAT(4)
GOSSAMER_FLOAT(8)
GOSSAMER_FLOAT(10)
#ifdef __SIZEOF_FLOAT128__
GOSSAMER_FLOAT(16)
#endif

}  // namespace gossamer::abi
