// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory management routines (OpenMP 5.2 §18.13) and the names by which compilers call them.
#include "abi/api/fortran.hpp"
#include "abi/kmpc/task.hpp"
#include "omp/omp.hpp"

using gossamer::omp::AllocatorHandle;
using gossamer::omp::current;
using gossamer::omp::MemspaceHandle;
using gossamer::omp::null_allocator;
using gossamer::omp::Trait;

namespace {

AllocatorHandle or_default(AllocatorHandle allocator) {
    return allocator == null_allocator ? current().icvs().default_allocator : allocator;
}

}  // namespace

GOSSAMER_EXPORT AllocatorHandle omp_init_allocator(MemspaceHandle space, int count, const Trait* traits) {
    return gossamer::omp::init_allocator(space, {traits, count > 0 ? static_cast<std::size_t>(count) : 0});
}
GOSSAMER_EXPORT AllocatorHandle omp_init_allocator_(const MemspaceHandle* space, const std::int32_t* count,
                                                    const Trait* traits) {
    return omp_init_allocator(*space, *count, traits);
}
GOSSAMER_EXPORT AllocatorHandle omp_init_allocator_8_(const MemspaceHandle* space, const std::int64_t* count,
                                                      const Trait* traits) {
    return omp_init_allocator(*space, gossamer::abi::to_int(*count), traits);
}
GOSSAMER_EXPORT AllocatorHandle __kmpc_init_allocator(int, MemspaceHandle space, int count, const Trait* traits) {
    return omp_init_allocator(space, count, traits);
}

GOSSAMER_EXPORT void omp_destroy_allocator(AllocatorHandle allocator) { gossamer::omp::destroy_allocator(allocator); }
GOSSAMER_EXPORT void omp_destroy_allocator_(const AllocatorHandle* allocator) { omp_destroy_allocator(*allocator); }
GOSSAMER_EXPORT void __kmpc_destroy_allocator(int, AllocatorHandle allocator) { omp_destroy_allocator(allocator); }

GOSSAMER_EXPORT void omp_set_default_allocator(AllocatorHandle allocator) {
    current().change_icvs().default_allocator = allocator == null_allocator ? gossamer::omp::default_mem_alloc : allocator;
}
GOSSAMER_EXPORT void omp_set_default_allocator_(const AllocatorHandle* allocator) { omp_set_default_allocator(*allocator); }
GOSSAMER_EXPORT void __kmpc_set_default_allocator(int, AllocatorHandle allocator) { omp_set_default_allocator(allocator); }

GOSSAMER_EXPORT AllocatorHandle omp_get_default_allocator() { return current().icvs().default_allocator; }
GOSSAMER_FORTRAN_ALIAS(omp_get_default_allocator)
GOSSAMER_EXPORT AllocatorHandle __kmpc_get_default_allocator(int) { return omp_get_default_allocator(); }

GOSSAMER_EXPORT void* omp_alloc(std::size_t size, AllocatorHandle allocator) {
    return gossamer::omp::allocate(size, 0, or_default(allocator));
}
GOSSAMER_EXPORT void* omp_aligned_alloc(std::size_t alignment, std::size_t size, AllocatorHandle allocator) {
    return gossamer::omp::allocate(size, alignment, or_default(allocator));
}
GOSSAMER_EXPORT void* omp_calloc(std::size_t count, std::size_t size, AllocatorHandle allocator) {
    return gossamer::omp::allocate_zeroed(count, size, 0, or_default(allocator));
}
GOSSAMER_EXPORT void* omp_aligned_calloc(std::size_t alignment, std::size_t count, std::size_t size,
                                         AllocatorHandle allocator) {
    return gossamer::omp::allocate_zeroed(count, size, alignment, or_default(allocator));
}
// A new block gets the default allocator; a block that moves keeps its own (§18.13.10).
GOSSAMER_EXPORT void* omp_realloc(void* block, std::size_t size, AllocatorHandle allocator, AllocatorHandle) {
    return gossamer::omp::reallocate(block, size, block == nullptr ? or_default(allocator) : allocator);
}
GOSSAMER_EXPORT void omp_free(void* block, AllocatorHandle) { gossamer::omp::release(block); }

// A depend object of clang's begins such a block, which the calls that are given one have to tell from gcc's objects.
GOSSAMER_EXPORT void* __kmpc_alloc(int, std::size_t size, AllocatorHandle allocator) {
    void* const block = omp_alloc(size, allocator);
    if (allocator == null_allocator && size % sizeof(gossamer::abi::DependInfo) == 0)
        gossamer::omp::depend_objects.track(block);
    return block;
}
GOSSAMER_EXPORT void* __kmpc_aligned_alloc(int, std::size_t alignment, std::size_t size, AllocatorHandle allocator) {
    return omp_aligned_alloc(alignment, size, allocator);
}
GOSSAMER_EXPORT void* __kmpc_calloc(int, std::size_t count, std::size_t size, AllocatorHandle allocator) {
    return omp_calloc(count, size, allocator);
}
GOSSAMER_EXPORT void* __kmpc_realloc(int, void* block, std::size_t size, AllocatorHandle allocator, AllocatorHandle old) {
    return omp_realloc(block, size, allocator, old);
}
GOSSAMER_EXPORT void __kmpc_free(int, void* block, AllocatorHandle) {
    gossamer::omp::depend_objects.untrack(block);
    gossamer::omp::release(block);
}

GOSSAMER_EXPORT void* GOMP_alloc(std::size_t alignment, std::size_t size, AllocatorHandle allocator) {
    return omp_aligned_alloc(alignment, size, allocator);
}
GOSSAMER_EXPORT void GOMP_free(void* block, AllocatorHandle) { gossamer::omp::release(block); }
GOSSAMER_EXPORT void GOMP_add_alloc(void* block) { gossamer::omp::allocatables.track(block); }
GOSSAMER_EXPORT bool GOMP_is_alloc(void* block) { return gossamer::omp::allocatables.untrack(block); }
