// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The caller's thread id and thread number.
#include "abi/kmpc/kmpc.hpp"

using namespace gossamer;
using abi::Ident;

GOSSAMER_EXPORT void __kmpc_begin(Ident*, int32_t) { omp::current(); }

// The compiler takes this for the program's last use of the runtime; other libraries may still use it.
GOSSAMER_EXPORT void __kmpc_end(Ident*) {}

GOSSAMER_EXPORT int32_t __kmpc_global_thread_num(Ident*) {
    const fiber::Fiber* const near = fiber::near_self();
    if (GOSSAMER_LIKELY(near != nullptr && near->local != nullptr)) return static_cast<int32_t>(near->id);
    return omp::call_from_afar([](const omp::Thread&) { return abi::global_id(); });
}

GOSSAMER_EXPORT int32_t __kmpc_global_num_threads(Ident*) { return static_cast<int32_t>(omp::current().team->size); }
GOSSAMER_EXPORT int32_t __kmpc_bound_thread_num(Ident*) { return static_cast<int32_t>(omp::current().num); }
GOSSAMER_EXPORT int32_t __kmpc_bound_num_threads(Ident*) { return static_cast<int32_t>(omp::current().team->size); }
GOSSAMER_EXPORT int32_t __kmpc_in_parallel(Ident*) { return omp::current().team->active_level > 0; }
GOSSAMER_EXPORT int32_t __kmpc_ok_to_fork(Ident*) { return 1; }
