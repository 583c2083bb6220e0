// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory spaces, allocators and their traits (OpenMP 5.2 §6, §18.13). All memory spaces of the host are its one memory, so an
// allocator is its traits: alignment, the size of its pool, and what to do when that is used up. Nothing here suspends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace gossamer::omp {

// omp_allocator_handle_t and omp_memspace_handle_t. Small allocator handles are the predefined allocators of table 6.3; other
// ones are addresses of the program's own allocators.
using AllocatorHandle = std::uintptr_t;
using MemspaceHandle = std::uintptr_t;

constexpr AllocatorHandle null_allocator = 0;
constexpr AllocatorHandle default_mem_alloc = 1;

enum class Memspace : MemspaceHandle { default_mem = 0, large_cap = 1, constant = 2, high_bw = 3, low_lat = 4 };

// omp_alloctrait_key_t and omp_alloctrait_value_t (table 6.2).
enum class TraitKey : std::int32_t {
    sync_hint = 1,
    alignment = 2,
    access = 3,
    pool_size = 4,
    fallback = 5,
    fb_data = 6,
    pinned = 7,
    partition = 8
};

namespace trait {
constexpr std::uintptr_t by_default = ~std::uintptr_t{0};
constexpr std::uintptr_t no = 0;
constexpr std::uintptr_t yes = 1;
constexpr std::uintptr_t contended = 3;
constexpr std::uintptr_t uncontended = 4;
constexpr std::uintptr_t serialized = 5;
constexpr std::uintptr_t private_ = 6;
constexpr std::uintptr_t all = 7;
constexpr std::uintptr_t thread = 8;
constexpr std::uintptr_t pteam = 9;
constexpr std::uintptr_t cgroup = 10;
constexpr std::uintptr_t default_mem_fb = 11;
constexpr std::uintptr_t null_fb = 12;
constexpr std::uintptr_t abort_fb = 13;
constexpr std::uintptr_t allocator_fb = 14;
constexpr std::uintptr_t environment = 15;
constexpr std::uintptr_t nearest = 16;
constexpr std::uintptr_t blocked = 17;
constexpr std::uintptr_t interleaved = 18;
}  // namespace trait

// omp_alloctrait_t, as compilers lay it out.
struct Trait {
    TraitKey key;
    std::uintptr_t value;
};
static_assert(sizeof(Trait) == 2 * sizeof(std::uintptr_t));

// A new allocator (§18.13.2); null_allocator if memory is out, or the space or a trait cannot be had: there is no
// high-bandwidth memory and no pinned memory, and a trait's value may be unknown.
AllocatorHandle init_allocator(MemspaceHandle space, std::span<const Trait> traits);

// §18.13.3. Does nothing for a predefined allocator. All blocks of the allocator must have been released.
void destroy_allocator(AllocatorHandle allocator);

// §18.13.6-7: `size` bytes, aligned to the largest of `alignment` (a power of two, or 0), the allocator's alignment, and that
// of any object; nullptr for 0 bytes, or if the fallback says so. The allocator is not null_allocator.
void* allocate(std::size_t size, std::size_t alignment, AllocatorHandle allocator);
void* allocate_zeroed(std::size_t count, std::size_t size, std::size_t alignment, AllocatorHandle allocator);

// §18.13.8. Releases what the functions above returned; ignores nullptr. The block knows its allocator.
void release(void* block);

// §18.13.10: a block of `size` bytes with the old block's content; nullptr, and the old block untouched, if there is no memory;
// nullptr, and the old block released, for 0 bytes. null_allocator: the old block's allocator.
void* reallocate(void* block, std::size_t size, AllocatorHandle allocator);

// Whether a handle that the program passes is a memory space.
bool is_memspace(MemspaceHandle space);

}  // namespace gossamer::omp
