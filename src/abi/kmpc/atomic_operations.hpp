// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The operators of the __kmpc_atomic_* entries by the names the entries use, and the shapes of those entries.
//
// An operator's operands undergo the usual arithmetic conversions; the result is converted to the location's type only when it
// is stored, as in `x = x op expression` (OpenMP 5.2, section 15.8.4).
#pragma once

#include "abi/export.hpp"
#include "abi/kmpc/atomic.hpp"

namespace gossamer::abi::operation {

#define GOSSAMER_OPERATION(name, expression) \
    struct name {                            \
        template <class X, class Y>          \
        static auto apply(X x, Y y) {        \
            return expression;               \
        }                                    \
    };
GOSSAMER_OPERATION(add, x + y)
GOSSAMER_OPERATION(sub, x - y)
GOSSAMER_OPERATION(mul, x* y)
GOSSAMER_OPERATION(div, x / y)
GOSSAMER_OPERATION(andb, x& y)
GOSSAMER_OPERATION(orb, x | y)
GOSSAMER_OPERATION(xor_, x ^ y)
GOSSAMER_OPERATION(shl, x << y)
GOSSAMER_OPERATION(shr, x >> y)
GOSSAMER_OPERATION(andl, x&& y)
GOSSAMER_OPERATION(orl, x || y)
// Fortran's .NEQV. and .EQV., on all bits.
GOSSAMER_OPERATION(neqv, x ^ y)
GOSSAMER_OPERATION(eqv, ~(x ^ y))
// A comparison with a NaN keeps x.
GOSSAMER_OPERATION(max, x < y ? y : x)
GOSSAMER_OPERATION(min, y < x ? y : x)
#undef GOSSAMER_OPERATION

// `x = expression op x`.
template <class Operation>
struct Reversed {
    template <class X, class Y>
    static auto apply(X x, Y y) {
        return Operation::apply(y, x);
    }
};

}  // namespace gossamer::abi::operation

namespace gossamer::abi {

// Operations for which CPUs have one instruction, which unlike compare-and-swap needs no retry under contention.
template <class Operation>
struct Instruction {};

#define GOSSAMER_INSTRUCTION(name, builtin)                \
    template <>                                            \
    struct Instruction<operation::name> {                  \
        template <class T>                                 \
        static T fetch(T* at, T operand) {                 \
            return builtin(at, operand, __ATOMIC_SEQ_CST); \
        }                                                  \
    };
GOSSAMER_INSTRUCTION(add, __atomic_fetch_add)
GOSSAMER_INSTRUCTION(sub, __atomic_fetch_sub)
GOSSAMER_INSTRUCTION(andb, __atomic_fetch_and)
GOSSAMER_INSTRUCTION(orb, __atomic_fetch_or)
GOSSAMER_INSTRUCTION(xor_, __atomic_fetch_xor)
GOSSAMER_INSTRUCTION(neqv, __atomic_fetch_xor)
#undef GOSSAMER_INSTRUCTION

template <class Operation, class T, class Operand>
concept HasInstruction = std::is_integral_v<T> && std::is_same_v<T, Operand> &&
                         requires(T* at, T operand) { Instruction<Operation>::fetch(at, operand); };

template <class Operation, class T, class Operand>
Change<T> update(T* at, Operand operand) {
    if constexpr (HasInstruction<Operation, T, Operand>) {
        if (GOSSAMER_LIKELY(swappable(at))) {
            const T before = Instruction<Operation>::fetch(at, operand);
            return {before, static_cast<T>(Operation::apply(before, operand))};
        }
    }
    return change(at, [operand](T x) { return static_cast<T>(Operation::apply(x, operand)); });
}

}  // namespace gossamer::abi

// The source location and the caller's number, which entries take first, are not needed.
#define GOSSAMER_ATOMIC(type, name, ...) GOSSAMER_EXPORT type __kmpc_atomic_##name(void*, int, __VA_ARGS__)

// `x = x op operand`.
#define GOSSAMER_ATOMIC_UPDATE(name, T, Operand, Operation) \
    GOSSAMER_ATOMIC(void, name, T* at, Operand operand) { update<operation::Operation>(at, operand); }

// The same; returns the value after (after != 0) or before the update.
#define GOSSAMER_ATOMIC_CAPTURE(name, T, Operand, Operation)                \
    GOSSAMER_ATOMIC(T, name, T* at, Operand operand, int after) {           \
        const Change<T> result = update<operation::Operation>(at, operand); \
        return after != 0 ? result.after : result.before;                   \
    }

// Both; the capture's name has _cpt between `middle` and `end`.
#define GOSSAMER_ATOMIC_BOTH(middle, end, T, Operand, Operation) \
    GOSSAMER_ATOMIC_UPDATE(middle##end, T, Operand, Operation)   \
    GOSSAMER_ATOMIC_CAPTURE(middle##_cpt##end, T, Operand, Operation)

#define GOSSAMER_ATOMIC_READ(kind, T) \
    GOSSAMER_ATOMIC(T, kind##_rd, T* at) { return read(at); }
#define GOSSAMER_ATOMIC_WRITE(kind, T) \
    GOSSAMER_ATOMIC(void, kind##_wr, T* at, T value) { swap(at, value); }
#define GOSSAMER_ATOMIC_SWAP(kind, T) \
    GOSSAMER_ATOMIC(T, kind##_swp, T* at, T value) { return swap(at, value); }
#define GOSSAMER_ATOMIC_ACCESS(kind, T) \
    GOSSAMER_ATOMIC_READ(kind, T)       \
    GOSSAMER_ATOMIC_WRITE(kind, T)      \
    GOSSAMER_ATOMIC_SWAP(kind, T)
