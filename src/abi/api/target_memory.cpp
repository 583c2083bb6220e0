// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Device memory routines (OpenMP 5.2 §18.8) for the only device, the host, whose memory is the program's. Routines that return
// an int return 0, or EINVAL for a device that does not exist or a shape whose size overflows.
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>

#include "abi/api/devices.hpp"
#include "abi/export.hpp"
#include "base/base.hpp"

using gossamer::abi::is_host;

GOSSAMER_EXPORT void* omp_target_alloc(std::size_t size, int device) {
    return is_host(device) && size > 0 ? std::malloc(size) : nullptr;
}

GOSSAMER_EXPORT void omp_target_free(void* block, int device) {
    if (is_host(device)) std::free(block);
}

GOSSAMER_EXPORT int omp_target_is_present(const void* address, int device) { return address != nullptr && is_host(device); }

GOSSAMER_EXPORT int omp_target_is_accessible(const void* address, std::size_t, int device) {
    return address != nullptr && is_host(device);
}

GOSSAMER_EXPORT void* omp_get_mapped_ptr(const void* address, int device) {
    return is_host(device) ? const_cast<void*>(address) : nullptr;
}

// The host's memory is not mapped, so no mapping can be changed.
GOSSAMER_EXPORT int omp_target_associate_ptr(const void*, const void*, std::size_t, std::size_t, int) { return EINVAL; }
GOSSAMER_EXPORT int omp_target_disassociate_ptr(const void*, int) { return EINVAL; }

GOSSAMER_EXPORT int omp_target_memcpy(void* to, const void* from, std::size_t length, std::size_t to_offset,
                                      std::size_t from_offset, int to_device, int from_device) {
    if (!is_host(to_device) || !is_host(from_device)) return EINVAL;
    std::memmove(static_cast<char*>(to) + to_offset, static_cast<const char*>(from) + from_offset, length);
    return 0;
}

GOSSAMER_EXPORT void* omp_target_memset(void* block, int value, std::size_t count, int device) {
    return is_host(device) ? std::memset(block, value, count) : block;
}

namespace {

// Copies a box of `volume` elements out of an array of `from_dims` into an array of `to_dims`; the outermost dimension comes
// first. Returns 0 or EINVAL.
int copy_box(char* to, const char* from, std::size_t element, int dims, const std::size_t* volume,
             const std::size_t* to_offsets, const std::size_t* from_offsets, const std::size_t* to_dims,
             const std::size_t* from_dims) {
    std::size_t to_slice = element;
    std::size_t from_slice = element;
    for (int dim = 1; dim < dims; ++dim) {
        if (__builtin_mul_overflow(to_slice, to_dims[dim], &to_slice)) return EINVAL;
        if (__builtin_mul_overflow(from_slice, from_dims[dim], &from_slice)) return EINVAL;
    }
    std::size_t to_start = 0;
    std::size_t from_start = 0;
    if (__builtin_mul_overflow(to_slice, to_offsets[0], &to_start)) return EINVAL;
    if (__builtin_mul_overflow(from_slice, from_offsets[0], &from_start)) return EINVAL;
    if (dims == 1) {
        std::size_t bytes = 0;
        if (__builtin_mul_overflow(element, volume[0], &bytes)) return EINVAL;
        std::memmove(to + to_start, from + from_start, bytes);
        return 0;
    }
    for (std::size_t at = 0; at < volume[0]; ++at) {
        int result = copy_box(to + to_start + at * to_slice, from + from_start + at * from_slice, element, dims - 1, volume + 1,
                              to_offsets + 1, from_offsets + 1, to_dims + 1, from_dims + 1);
        if (result != 0) return result;
    }
    return 0;
}

}  // namespace

// With neither address it returns how many dimensions are supported (§18.8.6).
GOSSAMER_EXPORT int omp_target_memcpy_rect(void* to, const void* from, std::size_t element, int dims, const std::size_t* volume,
                                           const std::size_t* to_offsets, const std::size_t* from_offsets,
                                           const std::size_t* to_dims, const std::size_t* from_dims, int to_device,
                                           int from_device) {
    if (to == nullptr && from == nullptr) return INT_MAX;
    if (!is_host(to_device) || !is_host(from_device) || dims < 1 || element == 0) return EINVAL;
    return copy_box(static_cast<char*>(to), static_cast<const char*>(from), element, dims, volume, to_offsets, from_offsets,
                    to_dims, from_dims);
}
