// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory spaces by device (OpenMP 6.0 §27.1-3). Each of the host's is one resource. There is no other device: a request for its
// memory returns omp_null_mem_space, or omp_null_allocator.
#include "abi/api/devices.hpp"
#include "abi/api/fortran.hpp"
#include "omp/omp.hpp"

using gossamer::abi::is_host;
using gossamer::omp::AllocatorHandle;
using gossamer::omp::is_memspace;
using gossamer::omp::MemspaceHandle;
using gossamer::omp::null_allocator;

namespace {

constexpr MemspaceHandle null_memspace = 0;

MemspaceHandle space_if(bool available, MemspaceHandle space) {
    return available && is_memspace(space) ? space : null_memspace;
}

// The predefined allocator that goes with a space is numbered one higher (tables 6.1 and 6.3).
AllocatorHandle allocator_if(bool available, MemspaceHandle space) {
    constexpr MemspaceHandle last_host_space = 4;
    return available && space <= last_host_space ? space + 1 : null_allocator;
}

bool only_host(int count, const int* devices) {
    for (int at = 0; at < count; ++at) {
        if (!is_host(devices[at])) return false;
    }
    return true;
}

}  // namespace

GOSSAMER_EXPORT MemspaceHandle omp_get_devices_memspace(int count, const int* devices, MemspaceHandle space) {
    return space_if(count > 0 && only_host(count, devices), space);
}
GOSSAMER_EXPORT MemspaceHandle omp_get_devices_memspace_(const int* count, const int* devices, const MemspaceHandle* space) {
    return omp_get_devices_memspace(*count, devices, *space);
}
GOSSAMER_EXPORT MemspaceHandle omp_get_device_memspace(int device, MemspaceHandle space) {
    return space_if(is_host(device), space);
}
GOSSAMER_EXPORT MemspaceHandle omp_get_device_memspace_(const int* device, const MemspaceHandle* space) {
    return omp_get_device_memspace(*device, *space);
}
GOSSAMER_EXPORT MemspaceHandle omp_get_devices_and_host_memspace(int count, const int* devices, MemspaceHandle space) {
    return space_if(only_host(count, devices), space);
}
GOSSAMER_EXPORT MemspaceHandle omp_get_devices_and_host_memspace_(const int* count, const int* devices,
                                                                  const MemspaceHandle* space) {
    return omp_get_devices_and_host_memspace(*count, devices, *space);
}
GOSSAMER_EXPORT MemspaceHandle omp_get_device_and_host_memspace(int device, MemspaceHandle space) {
    return space_if(is_host(device), space);
}
GOSSAMER_EXPORT MemspaceHandle omp_get_device_and_host_memspace_(const int* device, const MemspaceHandle* space) {
    return omp_get_device_and_host_memspace(*device, *space);
}
GOSSAMER_EXPORT MemspaceHandle omp_get_devices_all_memspace(MemspaceHandle space) { return space_if(true, space); }
GOSSAMER_EXPORT MemspaceHandle omp_get_devices_all_memspace_(const MemspaceHandle* space) { return space_if(true, *space); }

GOSSAMER_EXPORT AllocatorHandle omp_get_devices_allocator(int count, const int* devices, MemspaceHandle space) {
    return allocator_if(count > 0 && only_host(count, devices), space);
}
GOSSAMER_EXPORT AllocatorHandle omp_get_devices_allocator_(const int* count, const int* devices, const MemspaceHandle* space) {
    return omp_get_devices_allocator(*count, devices, *space);
}
GOSSAMER_EXPORT AllocatorHandle omp_get_device_allocator(int device, MemspaceHandle space) {
    return allocator_if(is_host(device), space);
}
GOSSAMER_EXPORT AllocatorHandle omp_get_device_allocator_(const int* device, const MemspaceHandle* space) {
    return omp_get_device_allocator(*device, *space);
}
GOSSAMER_EXPORT AllocatorHandle omp_get_devices_and_host_allocator(int count, const int* devices, MemspaceHandle space) {
    return allocator_if(only_host(count, devices), space);
}
GOSSAMER_EXPORT AllocatorHandle omp_get_devices_and_host_allocator_(const int* count, const int* devices,
                                                                    const MemspaceHandle* space) {
    return omp_get_devices_and_host_allocator(*count, devices, *space);
}
GOSSAMER_EXPORT AllocatorHandle omp_get_device_and_host_allocator(int device, MemspaceHandle space) {
    return allocator_if(is_host(device), space);
}
GOSSAMER_EXPORT AllocatorHandle omp_get_device_and_host_allocator_(const int* device, const MemspaceHandle* space) {
    return omp_get_device_and_host_allocator(*device, *space);
}
GOSSAMER_EXPORT AllocatorHandle omp_get_devices_all_allocator(MemspaceHandle space) { return allocator_if(true, space); }
GOSSAMER_EXPORT AllocatorHandle omp_get_devices_all_allocator_(const MemspaceHandle* space) {
    return allocator_if(true, *space);
}

GOSSAMER_EXPORT int omp_get_memspace_num_resources(MemspaceHandle space) { return is_memspace(space) ? 1 : 0; }
GOSSAMER_EXPORT int omp_get_memspace_num_resources_(const MemspaceHandle* space) {
    return omp_get_memspace_num_resources(*space);
}
GOSSAMER_EXPORT MemspaceHandle omp_get_submemspace(MemspaceHandle space, int count, const int* resources) {
    return space_if(count == 1 && resources[0] == 0, space);
}
GOSSAMER_EXPORT MemspaceHandle omp_get_submemspace_(const MemspaceHandle* space, const int* count, const int* resources) {
    return omp_get_submemspace(*space, *count, resources);
}
