// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Entries whose operand is wider than the location: *_float8 and *_cmplx8 (double), *_fp (quadruple precision). The
// operation is done in the operand's type and its result converted.
#include "abi/kmpc/atomic_operations.hpp"
#include "abi/kmpc/atomic_types.hpp"

namespace gossamer::abi {

#define GOSSAMER_FIXED_BY_FLOAT8(width, T)                            \
    GOSSAMER_ATOMIC_UPDATE(fixed##width##_mul_float8, T, Float8, mul) \
    GOSSAMER_ATOMIC_UPDATE(fixed##width##_div_float8, T, Float8, div)

GOSSAMER_FIXED_BY_FLOAT8(1, std::int8_t)
GOSSAMER_FIXED_BY_FLOAT8(2, std::int16_t)
GOSSAMER_FIXED_BY_FLOAT8(4, std::int32_t)
GOSSAMER_FIXED_BY_FLOAT8(8, std::int64_t)

GOSSAMER_ATOMIC_UPDATE(float4_add_float8, Float4, Float8, add)
GOSSAMER_ATOMIC_UPDATE(float4_sub_float8, Float4, Float8, sub)
GOSSAMER_ATOMIC_UPDATE(float4_mul_float8, Float4, Float8, mul)
GOSSAMER_ATOMIC_UPDATE(float4_div_float8, Float4, Float8, div)

GOSSAMER_ATOMIC_UPDATE(cmplx4_add_cmplx8, Complex4, Complex8, add)
GOSSAMER_ATOMIC_UPDATE(cmplx4_sub_cmplx8, Complex4, Complex8, sub)
GOSSAMER_ATOMIC_UPDATE(cmplx4_mul_cmplx8, Complex4, Complex8, mul)
GOSSAMER_ATOMIC_UPDATE(cmplx4_div_cmplx8, Complex4, Complex8, div)

#ifdef __SIZEOF_FLOAT128__
#define GOSSAMER_BY_QUAD(kind, T)                                                   \
    GOSSAMER_ATOMIC_BOTH(kind##_add, _fp, T, Float16, add)                          \
    GOSSAMER_ATOMIC_BOTH(kind##_sub, _fp, T, Float16, sub)                          \
    GOSSAMER_ATOMIC_BOTH(kind##_mul, _fp, T, Float16, mul)                          \
    GOSSAMER_ATOMIC_BOTH(kind##_div, _fp, T, Float16, div)                          \
    GOSSAMER_ATOMIC_BOTH(kind##_sub, _rev_fp, T, Float16, Reversed<operation::sub>) \
    GOSSAMER_ATOMIC_BOTH(kind##_div, _rev_fp, T, Float16, Reversed<operation::div>)

GOSSAMER_BY_QUAD(fixed1, std::int8_t)
GOSSAMER_BY_QUAD(fixed1u, std::uint8_t)
GOSSAMER_BY_QUAD(fixed2, std::int16_t)
GOSSAMER_BY_QUAD(fixed2u, std::uint16_t)
GOSSAMER_BY_QUAD(fixed4, std::int32_t)
GOSSAMER_BY_QUAD(fixed4u, std::uint32_t)
GOSSAMER_BY_QUAD(fixed8, std::int64_t)
GOSSAMER_BY_QUAD(fixed8u, std::uint64_t)
GOSSAMER_BY_QUAD(float4, Float4)
GOSSAMER_BY_QUAD(float8, Float8)
GOSSAMER_BY_QUAD(float10, Float10)
#endif

}  // namespace gossamer::abi
