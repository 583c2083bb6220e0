// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How one location of any type is read, written and updated atomically (OpenMP 5.2, section 15.8.4), for the
// __kmpc_atomic_* entries.
//
// A location of 1, 2, 4 or 8 bytes that is aligned to its width is updated by compare-and-swap, so that it agrees with
// compilers' own inline atomics on the same location. Any other location (wider, or misaligned, as a member of a packed
// structure may be) is updated under one of a few spin locks, found by its address. Width and address decide, so all entries
// that may name one location use the same method. Sections under a lock are one arithmetic operation long and never suspend.
//
// Every access is sequentially consistent: the entries are not told which memory order the program asked for.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "abi/kmpc/atomic_lock.hpp"
#include "arch/arch.hpp"

namespace gossamer::abi {

template <std::size_t width>
struct CellOf {
    using Type = void;
};
template <>
struct CellOf<1> {
    using Type = std::uint8_t;
};
template <>
struct CellOf<2> {
    using Type = std::uint16_t;
};
template <>
struct CellOf<4> {
    using Type = std::uint32_t;
};
template <>
struct CellOf<8> {
    using Type = std::uint64_t;
};

// The integer that is compared and swapped in place of a T; void where T has to be locked.
template <class T>
using Cell = typename CellOf<sizeof(T)>::Type;

template <class T>
constexpr bool fits_cell = !std::is_void_v<Cell<T>>;

template <class T>
bool swappable(const T* at) {
    return fits_cell<T> && reinterpret_cast<std::uintptr_t>(at) % sizeof(T) == 0;
}

// Values are compared as bit patterns, so that a NaN equals itself and -0.0 differs from 0.0: the swap must fail only if
// another thread wrote.
template <class To, class From>
To bits(From from) {
    static_assert(sizeof(To) == sizeof(From));
    To to;
    std::memcpy(&to, &from, sizeof(to));
    return to;
}

template <class T>
struct Change {
    T before;
    T after;
};

// Replaces *at by next(*at), atomically; next may be called several times.
template <class T, class Next>
Change<T> change(T* at, Next next) {
    if constexpr (fits_cell<T>) {
        if (GOSSAMER_LIKELY(swappable(at))) {
            auto* cell = reinterpret_cast<Cell<T>*>(at);
            Cell<T> seen = __atomic_load_n(cell, __ATOMIC_SEQ_CST);
            for (;;) {
                const T before = bits<T>(seen);
                const T after = next(before);
                // An update that changes nothing, such as of a maximum that stands, need not
                // invalidate other cores' copies of the line.
                if (bits<Cell<T>>(after) == seen) return {before, after};
                if (__atomic_compare_exchange_n(cell, &seen, bits<Cell<T>>(after), false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
                    return {before, after};
                arch::pause();
            }
        }
    }
    AddressLock lock(at);
    T before;
    std::memcpy(&before, at, sizeof(T));
    const T after = next(before);
    std::memcpy(at, &after, sizeof(T));
    return {before, after};
}

template <class T>
T read(T* at) {
    if constexpr (fits_cell<T>) {
        if (GOSSAMER_LIKELY(swappable(at))) return bits<T>(__atomic_load_n(reinterpret_cast<Cell<T>*>(at), __ATOMIC_SEQ_CST));
    }
    AddressLock lock(at);
    T value;
    std::memcpy(&value, at, sizeof(T));
    return value;
}

// Stores value and returns the old value.
template <class T>
T swap(T* at, T value) {
    if constexpr (fits_cell<T>) {
        if (GOSSAMER_LIKELY(swappable(at)))
            return bits<T>(__atomic_exchange_n(reinterpret_cast<Cell<T>*>(at), bits<Cell<T>>(value), __ATOMIC_SEQ_CST));
    }
    AddressLock lock(at);
    T before;
    std::memcpy(&before, at, sizeof(T));
    std::memcpy(at, &value, sizeof(T));
    return before;
}

// Stores desired if the old value is expected; returns the old value.
template <class T>
T compare_and_swap(T* at, T expected, T desired) {
    return change(at, [&](T before) { return before == expected ? desired : before; }).before;
}

}  // namespace gossamer::abi
