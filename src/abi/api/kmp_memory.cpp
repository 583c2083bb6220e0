// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Intel's and LLVM's memory routines: the family of malloc in the default memory space. Fortran passes arguments by reference.
#include <bit>

#include "abi/api/fortran.hpp"
#include "omp/omp.hpp"

using gossamer::omp::default_mem_alloc;

namespace {

// As malloc, they return a block for 0 bytes too.
std::size_t at_least_one(std::size_t size) { return size == 0 ? 1 : size; }

}  // namespace

GOSSAMER_EXPORT void* kmp_malloc(std::size_t size) { return gossamer::omp::allocate(at_least_one(size), 0, default_mem_alloc); }
GOSSAMER_EXPORT void* kmp_malloc_(const std::size_t* size) { return kmp_malloc(*size); }
GOSSAMER_ALIAS(kmpc_malloc, kmp_malloc)
GOSSAMER_ALIAS(___kmp_allocate, kmp_malloc)

// nullptr if the alignment is no power of two.
GOSSAMER_EXPORT void* kmp_aligned_malloc(std::size_t size, std::size_t alignment) {
    if (!std::has_single_bit(alignment)) return nullptr;
    return gossamer::omp::allocate(at_least_one(size), alignment, default_mem_alloc);
}
GOSSAMER_EXPORT void* kmp_aligned_malloc_(const std::size_t* size, const std::size_t* alignment) {
    return kmp_aligned_malloc(*size, *alignment);
}
GOSSAMER_ALIAS(kmpc_aligned_malloc, kmp_aligned_malloc)

GOSSAMER_EXPORT void* kmp_calloc(std::size_t count, std::size_t size) {
    if (count == 0 || size == 0) count = size = 1;
    return gossamer::omp::allocate_zeroed(count, size, 0, default_mem_alloc);
}
GOSSAMER_EXPORT void* kmp_calloc_(const std::size_t* count, const std::size_t* size) { return kmp_calloc(*count, *size); }
GOSSAMER_ALIAS(kmpc_calloc, kmp_calloc)

GOSSAMER_EXPORT void* kmp_realloc(void* block, std::size_t size) {
    return gossamer::omp::reallocate(block, size, gossamer::omp::null_allocator);
}
GOSSAMER_EXPORT void* kmp_realloc_(void* const* block, const std::size_t* size) { return kmp_realloc(*block, *size); }
GOSSAMER_ALIAS(kmpc_realloc, kmp_realloc)

GOSSAMER_EXPORT void kmp_free(void* block) { gossamer::omp::release(block); }
GOSSAMER_EXPORT void kmp_free_(void* const* block) { kmp_free(*block); }
GOSSAMER_ALIAS(kmpc_free, kmp_free)
GOSSAMER_ALIAS(___kmp_free, kmp_free)
