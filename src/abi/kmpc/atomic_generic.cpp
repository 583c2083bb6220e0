// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Entries that know a location only by its width: __kmpc_atomic_{1,2,4,8,10,16,20,32}, which get the operation as a
// function, and the compare-and-swap entries of OpenMP 5.1's `atomic compare`.
#include "abi/kmpc/atomic_operations.hpp"

namespace gossamer::abi {

namespace {

template <std::size_t width>
struct Bytes {
    unsigned char byte[width];
};

// *result = *left op *right; the compiler emits one for each operation and type.
using Combine = void (*)(void* result, void* left, void* right);

template <std::size_t width>
void combine(void* at, void* operand, Combine operation) {
    using T = Bytes<width>;
    if constexpr (fits_cell<T>) {
        if (GOSSAMER_LIKELY(swappable(static_cast<T*>(at)))) {
            change(static_cast<T*>(at), [=](T before) {
                alignas(width) T left = before;
                alignas(width) T result;
                operation(&result, &left, operand);
                return result;
            });
            return;
        }
    }
    // In place: `width` counts bytes of value only, and a complex long double has padding among them.
    AddressLock lock(at);
    operation(at, at, operand);
}

}  // namespace

#define GOSSAMER_GENERIC(width) \
    GOSSAMER_ATOMIC(void, width, void* at, void* operand, Combine operation) { combine<width>(at, operand, operation); }

GOSSAMER_GENERIC(1)
GOSSAMER_GENERIC(2)
GOSSAMER_GENERIC(4)
GOSSAMER_GENERIC(8)
GOSSAMER_GENERIC(10)
GOSSAMER_GENERIC(16)
GOSSAMER_GENERIC(20)
GOSSAMER_GENERIC(32)

// bool_* return whether the swap took place, val_* the old value. The _cpt forms also store a value: bool_* the old one if the
// swap failed, val_* the new one.
#define GOSSAMER_COMPARE_AND_SWAP(width, T)                                                                                 \
    GOSSAMER_ATOMIC(bool, bool_##width##_cas, T* at, T expected, T desired) {                                               \
        return compare_and_swap(at, expected, desired) == expected;                                                         \
    }                                                                                                                       \
    GOSSAMER_ATOMIC(T, val_##width##_cas, T* at, T expected, T desired) { return compare_and_swap(at, expected, desired); } \
    GOSSAMER_ATOMIC(bool, bool_##width##_cas_cpt, T* at, T expected, T desired, T* found) {                                 \
        const T before = compare_and_swap(at, expected, desired);                                                           \
        if (before != expected) *found = before;                                                                            \
        return before == expected;                                                                                          \
    }                                                                                                                       \
    GOSSAMER_ATOMIC(T, val_##width##_cas_cpt, T* at, T expected, T desired, T* after) {                                     \
        const T before = compare_and_swap(at, expected, desired);                                                           \
        *after = before == expected ? desired : before;                                                                     \
        return before;                                                                                                      \
    }

GOSSAMER_COMPARE_AND_SWAP(1, std::int8_t)
GOSSAMER_COMPARE_AND_SWAP(2, std::int16_t)
GOSSAMER_COMPARE_AND_SWAP(4, std::int32_t)
GOSSAMER_COMPARE_AND_SWAP(8, std::int64_t)

}  // namespace gossamer::abi
