// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The lock routines (OpenMP 5.2 §18.9) as programs compiled with Intel's compilers call them.
#include "abi/kmpc/kmpc.hpp"

using namespace gossamer;
using abi::Ident;

GOSSAMER_EXPORT void __kmpc_init_lock(Ident*, int32_t, void** lock) { omp::lock_init(lock); }
GOSSAMER_EXPORT void __kmpc_init_lock_with_hint(Ident*, int32_t, void** lock, uintptr_t) { omp::lock_init(lock); }
GOSSAMER_EXPORT void __kmpc_destroy_lock(Ident*, int32_t, void**) {}
GOSSAMER_EXPORT void __kmpc_set_lock(Ident*, int32_t, void** lock) { omp::lock_set(lock); }
GOSSAMER_EXPORT void __kmpc_unset_lock(Ident*, int32_t, void** lock) { omp::lock_unset(lock); }
GOSSAMER_EXPORT int __kmpc_test_lock(Ident*, int32_t, void** lock) { return omp::lock_test(lock); }

GOSSAMER_EXPORT void __kmpc_init_nest_lock(Ident*, int32_t, void** lock) { omp::nest_lock_init(lock); }
GOSSAMER_EXPORT void __kmpc_init_nest_lock_with_hint(Ident*, int32_t, void** lock, uintptr_t) { omp::nest_lock_init(lock); }
GOSSAMER_EXPORT void __kmpc_destroy_nest_lock(Ident*, int32_t, void** lock) { omp::nest_lock_destroy(lock); }
GOSSAMER_EXPORT void __kmpc_set_nest_lock(Ident*, int32_t, void** lock) { omp::nest_lock_set(lock); }
GOSSAMER_EXPORT void __kmpc_unset_nest_lock(Ident*, int32_t, void** lock) { omp::nest_lock_unset(lock); }
GOSSAMER_EXPORT int __kmpc_test_nest_lock(Ident*, int32_t, void** lock) { return omp::nest_lock_test(lock); }
