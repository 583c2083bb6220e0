// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Regions for one thread: single with copyprivate, masked, master (OpenMP 5.2 §11.1, §5.7.2, §10.5).
#include "abi/kmpc/kmpc.hpp"

using namespace gossamer;
using abi::Ident;

GOSSAMER_EXPORT int32_t __kmpc_single(Ident*, int32_t) { return omp::single_start(omp::current()); }
GOSSAMER_EXPORT void __kmpc_end_single(Ident*, int32_t) {}

GOSSAMER_EXPORT int32_t __kmpc_master(Ident*, int32_t) { return omp::current().num == 0; }
GOSSAMER_EXPORT void __kmpc_end_master(Ident*, int32_t) {}
GOSSAMER_EXPORT int32_t __kmpc_masked(Ident*, int32_t, int32_t filter) {
    return static_cast<int32_t>(omp::current().num) == filter;
}
GOSSAMER_EXPORT void __kmpc_end_masked(Ident*, int32_t) {}

// Every thread passes a list of its variables; copy(to, from) copies between two lists. did_it: the caller executed the
// single region. The runtime has to end the construct with a barrier.
GOSSAMER_EXPORT void __kmpc_copyprivate(Ident*, int32_t, size_t, void* data, void (*copy)(void* to, void* from),
                                        int32_t did_it) {
    omp::Thread& thread = omp::current();
    if (did_it != 0)
        omp::copyprivate_give(thread, data);
    else
        copy(data, omp::copyprivate_take(thread));
    omp::barrier(thread);
}

// Only the executing thread passes data, which all threads get. The program ends the construct with a barrier.
GOSSAMER_EXPORT void* __kmpc_copyprivate_light(Ident*, int32_t, void* data) {
    omp::Thread& thread = omp::current();
    if (data == nullptr) return omp::copyprivate_take(thread);
    omp::copyprivate_give(thread, data);
    return data;
}

// The ends of scope (OpenMP 5.2 §11.2) need nothing; its reduction and barrier are calls of their own.
GOSSAMER_EXPORT void __kmpc_scope(Ident*, int32_t, void*) {}
GOSSAMER_EXPORT void __kmpc_end_scope(Ident*, int32_t, void*) {}
