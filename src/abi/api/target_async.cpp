// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Asynchronous device memory routines (OpenMP 5.2 §18.8.7-8). They may complete before they return, so each waits for its
// depend objects and then does its work.
//
// The objects lie in an array, of one compiler's kind or the other's:
//   gcc's are two words, an address and a kind;
//   clang's are the address of the first of its items (DependInfo); one more item lies before that, with the number of items as
//   its address. It begins a block of __kmpc_alloc, by which clang's objects are told from gcc's.
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "abi/export.hpp"
#include "abi/kmpc/task.hpp"

using gossamer::abi::DependInfo;
using gossamer::abi::Ident;

extern "C" {
void GOMP_taskwait_depend(void** depend);
void __kmpc_omp_taskwait_deps_51(Ident* where, int32_t gtid, int32_t count, const DependInfo* list, int32_t noalias_count,
                                 const DependInfo* noalias, int32_t nowait);
int omp_target_memcpy(void*, const void*, std::size_t, std::size_t, std::size_t, int, int);
int omp_target_memcpy_rect(void*, const void*, std::size_t, int, const std::size_t*, const std::size_t*, const std::size_t*,
                           const std::size_t*, const std::size_t*, int, int);
void* omp_target_memset(void*, int, std::size_t, int);
}

namespace {

int wait_for_gcc(std::size_t count, void** objects) {
    constexpr std::size_t header = 5, words = 2;  // words of an object
    auto** depend = static_cast<void**>(std::malloc((count + header) * sizeof(void*)));
    if (depend == nullptr) return ENOMEM;
    // The second form in gomp/task_depend.cpp: 0, the number of items, the numbers of
    // three kinds, here 0; the items are depend objects.
    for (std::size_t at = 0; at < header; ++at) depend[at] = nullptr;
    depend[1] = reinterpret_cast<void*>(count);
    for (std::size_t at = 0; at < count; ++at) depend[header + at] = objects + words * at;
    GOMP_taskwait_depend(depend);
    std::free(depend);
    return 0;
}

int wait_for_clang(std::size_t count, DependInfo** objects) {
    const auto items_of = [objects](std::size_t at) { return static_cast<std::size_t>(objects[at][-1].address); };
    std::size_t all = 0;
    for (std::size_t at = 0; at < count; ++at) all += items_of(at);
    if (all == 0) return 0;
    auto* const list = static_cast<DependInfo*>(std::malloc(all * sizeof(DependInfo)));
    if (list == nullptr) return ENOMEM;
    DependInfo* next = list;
    for (std::size_t at = 0; at < count; next += items_of(at++)) std::memcpy(next, objects[at], items_of(at) * sizeof *next);
    __kmpc_omp_taskwait_deps_51(nullptr, 0, static_cast<int32_t>(all), list, 0, nullptr, 0);
    std::free(list);
    return 0;
}

// Waits for the depend objects. Returns 0, or ENOMEM. May suspend.
int wait_for(int count, void* objects) {
    if (count <= 0 || objects == nullptr) return 0;
    const auto number = static_cast<std::size_t>(count);
    auto** const clangs = static_cast<DependInfo**>(objects);
    if (gossamer::omp::depend_objects.holds(clangs[0] - 1)) return wait_for_clang(number, clangs);
    return wait_for_gcc(number, static_cast<void**>(objects));
}

}  // namespace

GOSSAMER_EXPORT int omp_target_memcpy_async(void* to, const void* from, std::size_t length, std::size_t to_offset,
                                            std::size_t from_offset, int to_device, int from_device, int count, void* objects) {
    int result = wait_for(count, objects);
    if (result != 0) return result;
    return omp_target_memcpy(to, from, length, to_offset, from_offset, to_device, from_device);
}

GOSSAMER_EXPORT int omp_target_memcpy_rect_async(void* to, const void* from, std::size_t element, int dims,
                                                 const std::size_t* volume, const std::size_t* to_offsets,
                                                 const std::size_t* from_offsets, const std::size_t* to_dims,
                                                 const std::size_t* from_dims, int to_device, int from_device, int count,
                                                 void* objects) {
    int result = to == nullptr && from == nullptr ? 0 : wait_for(count, objects);
    if (result != 0) return result;
    return omp_target_memcpy_rect(to, from, element, dims, volume, to_offsets, from_offsets, to_dims, from_dims, to_device,
                                  from_device);
}

GOSSAMER_EXPORT void* omp_target_memset_async(void* block, int value, std::size_t size, int device, int count, void* objects) {
    return wait_for(count, objects) == 0 ? omp_target_memset(block, value, size, device) : block;
}
