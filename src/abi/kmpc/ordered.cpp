// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The ordered construct, in order and doacross (OpenMP 5.2 §15.10, §15.9.6).
#include "abi/kmpc/kmpc.hpp"

using namespace gossamer;
using abi::Ident;

GOSSAMER_EXPORT void __kmpc_ordered(Ident*, int32_t) { omp::ordered_start(omp::current()); }
GOSSAMER_EXPORT void __kmpc_end_ordered(Ident*, int32_t) { omp::ordered_end(omp::current()); }

static_assert(sizeof(omp::Dimension) == 3 * sizeof(int64_t), "the ABI's kmp_dim: lower, inclusive upper, step");

GOSSAMER_EXPORT void __kmpc_doacross_init(Ident*, int32_t, int32_t count, const omp::Dimension* dimensions) {
    omp::doacross_start(omp::current(), dimensions, static_cast<uint32_t>(count));
}

GOSSAMER_EXPORT void __kmpc_doacross_wait(Ident*, int32_t, const int64_t* iteration) {
    omp::doacross_wait(omp::current(), iteration);
}

GOSSAMER_EXPORT void __kmpc_doacross_post(Ident*, int32_t, const int64_t* iteration) {
    omp::doacross_post(omp::current(), iteration);
}

GOSSAMER_EXPORT void __kmpc_doacross_fini(Ident*, int32_t) { omp::doacross_end(omp::current()); }
