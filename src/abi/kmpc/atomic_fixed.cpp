// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// __kmpc_atomic_fixed{1,2,4,8}*: integers. Unsigned integers have entries of their own only where the operation differs.
#include "abi/kmpc/atomic_operations.hpp"

namespace gossamer::abi {

#define GOSSAMER_FIXED(width, Signed, Unsigned)                                                   \
    GOSSAMER_ATOMIC_BOTH(fixed##width##_add, , Signed, Signed, add)                               \
    GOSSAMER_ATOMIC_BOTH(fixed##width##_sub, , Signed, Signed, sub)                               \
    GOSSAMER_ATOMIC_BOTH(fixed##width##_mul, , Signed, Signed, mul)                               \
    GOSSAMER_ATOMIC_BOTH(fixed##width##_div, , Signed, Signed, div)                               \
    GOSSAMER_ATOMIC_BOTH(fixed##width##u_div, , Unsigned, Unsigned, div)                          \
    GOSSAMER_ATOMIC_BOTH(fixed##width##_andb, , Signed, Signed, andb)                             \
    GOSSAMER_ATOMIC_BOTH(fixed##width##_orb, , Signed, Signed, orb)                               \
    GOSSAMER_ATOMIC_BOTH(fixed##width##_xor, , Signed, Signed, xor_)                              \
    GOSSAMER_ATOMIC_BOTH(fixed##width##_shl, , Signed, Signed, shl)                               \
    GOSSAMER_ATOMIC_BOTH(fixed##width##_shr, , Signed, Signed, shr)                               \
    GOSSAMER_ATOMIC_BOTH(fixed##width##u_shr, , Unsigned, Unsigned, shr)                          \
    GOSSAMER_ATOMIC_BOTH(fixed##width##_andl, , Signed, Signed, andl)                             \
    GOSSAMER_ATOMIC_BOTH(fixed##width##_orl, , Signed, Signed, orl)                               \
    GOSSAMER_ATOMIC_BOTH(fixed##width##_neqv, , Signed, Signed, neqv)                             \
    GOSSAMER_ATOMIC_BOTH(fixed##width##_eqv, , Signed, Signed, eqv)                               \
    GOSSAMER_ATOMIC_BOTH(fixed##width##_max, , Signed, Signed, max)                               \
    GOSSAMER_ATOMIC_BOTH(fixed##width##_min, , Signed, Signed, min)                               \
    GOSSAMER_ATOMIC_BOTH(fixed##width##_sub, _rev, Signed, Signed, Reversed<operation::sub>)      \
    GOSSAMER_ATOMIC_BOTH(fixed##width##_div, _rev, Signed, Signed, Reversed<operation::div>)      \
    GOSSAMER_ATOMIC_BOTH(fixed##width##u_div, _rev, Unsigned, Unsigned, Reversed<operation::div>) \
    GOSSAMER_ATOMIC_BOTH(fixed##width##_shl, _rev, Signed, Signed, Reversed<operation::shl>)      \
    GOSSAMER_ATOMIC_BOTH(fixed##width##_shr, _rev, Signed, Signed, Reversed<operation::shr>)      \
    GOSSAMER_ATOMIC_BOTH(fixed##width##u_shr, _rev, Unsigned, Unsigned, Reversed<operation::shr>) \
    GOSSAMER_ATOMIC_ACCESS(fixed##width, Signed)

GOSSAMER_FIXED(1, std::int8_t, std::uint8_t)
GOSSAMER_FIXED(2, std::int16_t, std::uint16_t)
GOSSAMER_FIXED(4, std::int32_t, std::uint32_t)
GOSSAMER_FIXED(8, std::int64_t, std::uint64_t)

}  // namespace gossamer::abi
