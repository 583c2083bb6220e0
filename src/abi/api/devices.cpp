// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Devices (OpenMP 5.2 §18.7). There is one, the host; its number is omp_get_num_devices(), which is 0.
#include "abi/api/devices.hpp"

#include <cstring>

#include "abi/api/fortran.hpp"
#include "omp/omp.hpp"

using gossamer::omp::current;
using gossamer::omp::device_invalid;

GOSSAMER_EXPORT void omp_set_default_device(int device) { current().change_icvs().default_device = device; }
GOSSAMER_FORTRAN_INT(omp_set_default_device)

GOSSAMER_EXPORT int omp_get_default_device() { return current().icvs().default_device; }
GOSSAMER_FORTRAN_ALIAS(omp_get_default_device)

GOSSAMER_EXPORT int omp_get_num_devices() { return 0; }
GOSSAMER_FORTRAN_ALIAS(omp_get_num_devices)

GOSSAMER_EXPORT int omp_get_device_num() { return 0; }
GOSSAMER_FORTRAN_ALIAS(omp_get_device_num)

GOSSAMER_EXPORT int omp_get_initial_device() { return 0; }
GOSSAMER_FORTRAN_ALIAS(omp_get_initial_device)

GOSSAMER_EXPORT int omp_is_initial_device() { return 1; }
GOSSAMER_FORTRAN_ALIAS(omp_is_initial_device)

// OpenMP 6.0: a device's unique identifier; nullptr, or omp_invalid_device, if there is no such device.
namespace {
constexpr const char* host_uid = "OMP_INITIAL_DEVICE";
}  // namespace

GOSSAMER_EXPORT const char* omp_get_uid_from_device(int device) { return gossamer::abi::is_host(device) ? host_uid : nullptr; }
GOSSAMER_EXPORT void omp_get_uid_from_device_(const char** uid, std::size_t* length, const std::int32_t* device) {
    *uid = omp_get_uid_from_device(*device);
    *length = *uid == nullptr ? 0 : std::strlen(*uid);
}
GOSSAMER_EXPORT void omp_get_uid_from_device_8_(const char** uid, std::size_t* length, const std::int64_t* device) {
    std::int32_t narrow = gossamer::abi::to_int(*device);
    omp_get_uid_from_device_(uid, length, &narrow);
}

GOSSAMER_EXPORT int omp_get_device_from_uid(const char* uid) {
    return uid != nullptr && std::strcmp(uid, host_uid) == 0 ? 0 : device_invalid;
}
GOSSAMER_EXPORT std::int32_t omp_get_device_from_uid_(const char* uid, std::size_t length) {
    return std::string_view(uid, length) == host_uid ? 0 : device_invalid;
}

// OpenMP 6.1: the distances from the host to devices; -1 if there is no such device.
GOSSAMER_EXPORT void omp_get_device_distances(int count, const int* devices, int* distances) {
    for (int at = 0; at < count; ++at) distances[at] = gossamer::abi::is_host(devices[at]) ? 0 : -1;
}

// For LLVM's device runtime, if it is in the process: OMP_TARGET_OFFLOAD as 0 disabled, 1 default, 2 mandatory.
GOSSAMER_EXPORT int __kmpc_get_target_offload() {
    switch (gossamer::omp::globals().offload) {
        case gossamer::omp::Offload::disabled: return 0;
        case gossamer::omp::Offload::mandatory: return 2;
        case gossamer::omp::Offload::optional: break;
    }
    return 1;
}

// LLVM's: a device's dynamic group memory; the host has none.
GOSSAMER_EXPORT void* ompx_get_dyn_cgroup_mem() { return nullptr; }
