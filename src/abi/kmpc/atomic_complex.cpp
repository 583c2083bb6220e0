// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// __kmpc_atomic_cmplx{4,8,10,16}*: complex numbers. The entries for the narrowest return a captured value through a pointer,
// because old compilers of Intel's could not return it otherwise.
#include "abi/kmpc/atomic_operations.hpp"
#include "abi/kmpc/atomic_types.hpp"

namespace gossamer::abi {

#define GOSSAMER_COMPLEX4_BOTH(op, end, Operation)                                                                 \
    GOSSAMER_ATOMIC_UPDATE(cmplx4_##op##end, Complex4, Complex4, Operation)                                        \
    GOSSAMER_ATOMIC(void, cmplx4_##op##_cpt##end, Complex4* at, Complex4 operand, Complex4* captured, int after) { \
        const Change<Complex4> result = update<operation::Operation>(at, operand);                                 \
        *captured = after != 0 ? result.after : result.before;                                                     \
    }

GOSSAMER_COMPLEX4_BOTH(add, , add)
GOSSAMER_COMPLEX4_BOTH(sub, , sub)
GOSSAMER_COMPLEX4_BOTH(mul, , mul)
GOSSAMER_COMPLEX4_BOTH(div, , div)
GOSSAMER_COMPLEX4_BOTH(sub, _rev, Reversed<operation::sub>)
GOSSAMER_COMPLEX4_BOTH(div, _rev, Reversed<operation::div>)
GOSSAMER_ATOMIC_READ(cmplx4, Complex4)
GOSSAMER_ATOMIC_WRITE(cmplx4, Complex4)
GOSSAMER_ATOMIC(void, cmplx4_swp, Complex4* at, Complex4 value, Complex4* captured) { *captured = swap(at, value); }

#define GOSSAMER_COMPLEX(width)                                                                              \
    GOSSAMER_ATOMIC_BOTH(cmplx##width##_add, , Complex##width, Complex##width, add)                          \
    GOSSAMER_ATOMIC_BOTH(cmplx##width##_sub, , Complex##width, Complex##width, sub)                          \
    GOSSAMER_ATOMIC_BOTH(cmplx##width##_mul, , Complex##width, Complex##width, mul)                          \
    GOSSAMER_ATOMIC_BOTH(cmplx##width##_div, , Complex##width, Complex##width, div)                          \
    GOSSAMER_ATOMIC_BOTH(cmplx##width##_sub, _rev, Complex##width, Complex##width, Reversed<operation::sub>) \
    GOSSAMER_ATOMIC_BOTH(cmplx##width##_div, _rev, Complex##width, Complex##width, Reversed<operation::div>) \
    GOSSAMER_ATOMIC_ACCESS(cmplx##width, Complex##width)

GOSSAMER_COMPLEX(8)
GOSSAMER_COMPLEX(10)
#ifdef __SIZEOF_FLOAT128__
GOSSAMER_COMPLEX(16)
#endif

}  // namespace gossamer::abi
