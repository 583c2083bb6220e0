// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Device numbers (OpenMP 5.2 §1.2.1).
#pragma once

namespace gossamer::abi {

// Whether a device number means the host: its own number 0, omp_initial_device (-1), omp_default_device (-5), and what gcc and
// LLVM pass for it.
constexpr bool is_host(int device) {
    constexpr int gccs_host_fallback = -2;
    constexpr int llvms_host = -10;
    return device == 0 || device == -1 || device == -5 || device == gccs_host_fallback || device == llvms_host;
}

}  // namespace gossamer::abi
