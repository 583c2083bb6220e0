// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers of the machine that every layer shares, and hints to the compiler.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#define GOSSAMER_LIKELY(condition) __builtin_expect(!!(condition), 1)
#define GOSSAMER_UNLIKELY(condition) __builtin_expect(!!(condition), 0)
#define GOSSAMER_NOINLINE [[gnu::noinline]]
#define GOSSAMER_INLINE [[gnu::always_inline]] inline
#define GOSSAMER_COLD [[gnu::cold]] [[gnu::noinline]]
// ThreadSanitizer does not look at what the function itself does.
#define GOSSAMER_UNCHECKED [[gnu::noinline, gnu::no_sanitize("thread")]]

namespace gossamer {

// What one coherence transaction moves.
constexpr std::size_t cache_line = 64;

// What two writers must be apart by. Intel's level-2 prefetcher fetches lines in aligned pairs, and several
// AArch64 and Apple cores have 128-byte lines, so neighbours in one pair still disturb each other.
constexpr std::size_t no_share = 128;

// What one core writes all the time has pages of its own. A core's prefetcher follows its accesses through such a page, ahead
// and back, and would take a neighbour's lines from the core that writes those
// (docs/decisions/0037-carriers-in-pages-of-their-own.md).
constexpr std::size_t no_prefetch = 4096;

template <class Integer>
constexpr bool is_pow2(Integer value) {
    return value > 0 && (value & (value - 1)) == 0;
}

// alignment is a power of two; align_up wraps where the result does not fit.
template <class Integer>
constexpr Integer align_down(Integer value, Integer alignment) {
    return value & ~(alignment - 1);
}

template <class Integer>
constexpr Integer align_up(Integer value, Integer alignment) {
    return (value + alignment - 1) & ~(alignment - 1);
}

inline void* align_down(void* address, std::size_t alignment) {
    return reinterpret_cast<void*>(align_down(reinterpret_cast<std::uintptr_t>(address), std::uintptr_t{alignment}));
}

inline void* align_up(void* address, std::size_t alignment) {
    return reinterpret_cast<void*>(align_up(reinterpret_cast<std::uintptr_t>(address), std::uintptr_t{alignment}));
}

inline char* byte_offset(void* base, std::ptrdiff_t bytes) { return static_cast<char*>(base) + bytes; }

}  // namespace gossamer
