// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Resource relinquishing routines (OpenMP 5.2 §18.6). They return 0: done; -1: there is no such kind or device, or active
// regions need the resources.
#include "abi/api/devices.hpp"
#include "abi/export.hpp"
#include "omp/omp.hpp"

#include <cstdint>

// omp_pause_resource_t: soft, hard, and 5.2's stop_tool.
GOSSAMER_EXPORT int omp_pause_resource_all(int kind) {
    if (kind < 1 || kind > 3) return -1;
    return gossamer::omp::give_everything_back() ? 0 : -1;
}
GOSSAMER_EXPORT int omp_pause_resource_all_(const std::int32_t* kind) { return omp_pause_resource_all(*kind); }

GOSSAMER_EXPORT int omp_pause_resource(int kind, int device) {
    return gossamer::abi::is_host(device) ? omp_pause_resource_all(kind) : -1;
}
GOSSAMER_EXPORT int omp_pause_resource_(const std::int32_t* kind, const std::int32_t* device) {
    return omp_pause_resource(*kind, *device);
}

GOSSAMER_EXPORT int __kmpc_pause_resource(int kind, int device) { return omp_pause_resource(kind, device); }
