// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Asynchronous device memory routines (OpenMP 5.2 §18.8.7-8). They may complete before they return, so each waits for its
// depend objects and then does its work. The objects are gcc's: two pointers each.
#include <cerrno>
#include <cstdint>
#include <cstdlib>

#include "abi/export.hpp"

struct DependObject {
    void* part[2];
};

extern "C" {
void GOMP_taskwait_depend(void** depend);
int omp_target_memcpy(void*, const void*, std::size_t, std::size_t, std::size_t, int, int);
int omp_target_memcpy_rect(void*, const void*, std::size_t, int, const std::size_t*, const std::size_t*, const std::size_t*,
                           const std::size_t*, const std::size_t*, int, int);
void* omp_target_memset(void*, int, std::size_t, int);
}

namespace {

// Waits for the depend objects. Returns 0, or ENOMEM. May suspend.
int wait_for(int count, DependObject* objects) {
    if (count <= 0 || objects == nullptr) return 0;
    constexpr int header = 5;
    auto number = static_cast<std::uintptr_t>(count);
    auto** depend = static_cast<void**>(std::malloc((number + header) * sizeof(void*)));
    if (depend == nullptr) return ENOMEM;
    // The second form in gomp/task_depend.cpp: 0, the number of items, the numbers of
    // three kinds, here 0; the items are depend objects.
    for (int at = 0; at < header; ++at) depend[at] = nullptr;
    depend[1] = reinterpret_cast<void*>(number);
    for (int at = 0; at < count; ++at) depend[header + at] = &objects[at];
    GOMP_taskwait_depend(depend);
    std::free(depend);
    return 0;
}

}  // namespace

GOSSAMER_EXPORT int omp_target_memcpy_async(void* to, const void* from, std::size_t length, std::size_t to_offset,
                                            std::size_t from_offset, int to_device, int from_device, int count,
                                            DependObject* objects) {
    int result = wait_for(count, objects);
    if (result != 0) return result;
    return omp_target_memcpy(to, from, length, to_offset, from_offset, to_device, from_device);
}

GOSSAMER_EXPORT int omp_target_memcpy_rect_async(void* to, const void* from, std::size_t element, int dims,
                                                 const std::size_t* volume, const std::size_t* to_offsets,
                                                 const std::size_t* from_offsets, const std::size_t* to_dims,
                                                 const std::size_t* from_dims, int to_device, int from_device, int count,
                                                 DependObject* objects) {
    int result = to == nullptr && from == nullptr ? 0 : wait_for(count, objects);
    if (result != 0) return result;
    return omp_target_memcpy_rect(to, from, element, dims, volume, to_offsets, from_offsets, to_dims, from_dims, to_device,
                                  from_device);
}

GOSSAMER_EXPORT void* omp_target_memset_async(void* block, int value, std::size_t size, int device, int count,
                                              DependObject* objects) {
    return wait_for(count, objects) == 0 ? omp_target_memset(block, value, size, device) : block;
}
