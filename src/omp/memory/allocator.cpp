// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each block has a header directly before its first byte, so that it can be
// released, moved and charged without being told its allocator.
#include "omp/memory/allocator.hpp"

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <new>

#include "base/base.hpp"

namespace gossamer::omp {

namespace {

struct Allocator {
    std::size_t alignment = 1;
    std::uint64_t pool_size = UINT64_MAX;  // bytes, headers included
    std::uintptr_t fallback = trait::default_mem_fb;
    AllocatorHandle fallback_allocator = null_allocator;
    std::atomic<std::uint64_t> used{0};  // of the pool
};

struct Header {
    void* base;         // what malloc gave
    std::size_t size;   // what the user asked for
    std::size_t taken;  // what the pool was charged
    AllocatorHandle allocator;
};

constexpr std::size_t least_alignment = alignof(std::max_align_t);
static_assert(sizeof(Header) % least_alignment == 0, "the header stands directly before an aligned block");

constexpr AllocatorHandle last_predefined = 1024;

Allocator* user_made(AllocatorHandle handle) {
    return handle > last_predefined ? reinterpret_cast<Allocator*>(handle) : nullptr;
}

Header& header_of(void* block) { return *(static_cast<Header*>(block) - 1); }

// Takes bytes out of the pool. False: it has not that many left.
bool charge(Allocator& allocator, std::size_t bytes) {
    // relaxed, here and in give_back: a count of bytes guards no data.
    std::uint64_t before = allocator.used.fetch_add(bytes, std::memory_order_relaxed);
    if (before <= allocator.pool_size && bytes <= allocator.pool_size - before) return true;
    allocator.used.fetch_sub(bytes, std::memory_order_relaxed);
    return false;
}

void give_back(Allocator& allocator, std::size_t bytes) { allocator.used.fetch_sub(bytes, std::memory_order_relaxed); }

// One attempt, without fallback. `credit`: bytes already charged to the same pool, which become free if this succeeds.
void* take(std::size_t size, std::size_t alignment, AllocatorHandle handle, bool zeroed, std::size_t credit = 0) {
    Allocator* allocator = user_made(handle);
    if (allocator != nullptr && allocator->alignment > alignment) alignment = allocator->alignment;
    if (alignment < least_alignment) alignment = least_alignment;
    std::size_t extra = sizeof(Header) + (alignment > least_alignment ? alignment : 0);
    std::size_t total = 0;
    if (__builtin_add_overflow(size, extra, &total)) return nullptr;
    std::size_t more = total > credit ? total - credit : 0;
    if (allocator != nullptr && !charge(*allocator, more)) return nullptr;
    void* base = zeroed ? std::calloc(1, total) : std::malloc(total);
    if (base == nullptr) {
        if (allocator != nullptr) give_back(*allocator, more);
        return nullptr;
    }
    if (allocator != nullptr && credit > total) give_back(*allocator, credit - total);
    void* block = align_up(byte_offset(base, sizeof(Header)), alignment);
    header_of(block) = {base, size, total, handle};
    return block;
}

void* take_or_fall_back(std::size_t size, std::size_t alignment, AllocatorHandle handle, bool zeroed) {
    if (size == 0) return nullptr;
    // A chain of fallback allocators can be a ring.
    for (int hops = 0; hops < 64; ++hops) {
        if (void* block = take(size, alignment, handle, zeroed)) return block;
        Allocator* allocator = user_made(handle);
        if (allocator == nullptr) return nullptr;
        switch (allocator->fallback) {
            case trait::null_fb: return nullptr;
            case trait::abort_fb:
                fatal("an allocator with the trait fallback=abort_fb cannot give %zu bytes (OpenMP 5.2, table 6.2)", size);
            case trait::allocator_fb:
                handle = allocator->fallback_allocator;
                if (handle == null_allocator) return nullptr;
                break;
            default: handle = default_mem_alloc; break;
        }
    }
    return nullptr;
}

bool between(std::uintptr_t value, std::uintptr_t low, std::uintptr_t high) { return value >= low && value <= high; }

// False: the trait cannot be had.
bool apply(const Trait& trait, Allocator& allocator) {
    if (trait.value == trait::by_default) return true;
    switch (trait.key) {
        case TraitKey::sync_hint: return between(trait.value, trait::contended, trait::private_);
        case TraitKey::alignment:
            if (!is_pow2(trait.value)) return false;
            allocator.alignment = trait.value;
            return true;
        case TraitKey::access: return between(trait.value, trait::all, trait::cgroup);
        case TraitKey::pool_size:
            if (trait.value == 0) return false;
            allocator.pool_size = trait.value;
            return true;
        case TraitKey::fallback:
            if (!between(trait.value, trait::default_mem_fb, trait::allocator_fb)) return false;
            allocator.fallback = trait.value;
            return true;
        case TraitKey::fb_data: allocator.fallback_allocator = trait.value; return true;
        case TraitKey::pinned: return trait.value == trait::no;
        case TraitKey::partition: return between(trait.value, trait::environment, trait::interleaved);
    }
    return false;
}

}  // namespace

bool is_memspace(MemspaceHandle space) {
    constexpr MemspaceHandle intels_default = 99;
    constexpr MemspaceHandle target_host = 100;
    return space <= static_cast<MemspaceHandle>(Memspace::low_lat) || space == intels_default || space == target_host;
}

AllocatorHandle init_allocator(MemspaceHandle space, std::span<const Trait> traits) {
    if (!is_memspace(space) || space == static_cast<MemspaceHandle>(Memspace::high_bw)) return null_allocator;
    void* room = std::malloc(sizeof(Allocator));
    if (room == nullptr) return null_allocator;
    auto* allocator = ::new (room) Allocator;
    bool possible = true;
    for (const Trait& trait : traits) possible = possible && apply(trait, *allocator);
    if (allocator->fallback == trait::allocator_fb && allocator->fallback_allocator == null_allocator) possible = false;
    if (!possible) {
        std::free(allocator);
        return null_allocator;
    }
    return reinterpret_cast<AllocatorHandle>(allocator);
}

void destroy_allocator(AllocatorHandle handle) { std::free(user_made(handle)); }

void* allocate(std::size_t size, std::size_t alignment, AllocatorHandle allocator) {
    return take_or_fall_back(size, alignment, allocator, false);
}

void* allocate_zeroed(std::size_t count, std::size_t size, std::size_t alignment, AllocatorHandle allocator) {
    std::size_t total = 0;
    if (__builtin_mul_overflow(count, size, &total)) return nullptr;
    return take_or_fall_back(total, alignment, allocator, true);
}

void release(void* block) {
    if (block == nullptr) return;
    Header header = header_of(block);
    if (Allocator* allocator = user_made(header.allocator)) give_back(*allocator, header.taken);
    std::free(header.base);
}

void* reallocate(void* block, std::size_t size, AllocatorHandle allocator) {
    if (block == nullptr) return allocate(size, 0, allocator == null_allocator ? default_mem_alloc : allocator);
    if (size == 0) {
        release(block);
        return nullptr;
    }
    const Header old = header_of(block);
    if (allocator == null_allocator) allocator = old.allocator;
    // A block that stays in its pool needs room for the difference only.
    void* larger = allocator == old.allocator ? take(size, 0, allocator, false, old.taken) : nullptr;
    bool settled = larger != nullptr;
    if (!settled) larger = allocate(size, 0, allocator);
    if (larger == nullptr) return nullptr;
    std::memcpy(larger, block, old.size < size ? old.size : size);
    if (settled) {
        std::free(old.base);
    } else {
        release(block);
    }
    return larger;
}

}  // namespace gossamer::omp
