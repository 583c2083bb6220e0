// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Barriers and flush (OpenMP 5.2 §15.3, §15.8.5).
#include "abi/kmpc/kmpc.hpp"

using namespace gossamer;
using abi::Ident;

GOSSAMER_EXPORT void __kmpc_barrier(Ident*, int32_t) {
    omp::of_current([](omp::Thread& thread) { omp::barrier(thread); });
}
GOSSAMER_EXPORT int32_t __kmpc_cancel_barrier(Ident*, int32_t) { return omp::barrier(omp::current(), true); }

// Holds all threads but the primary one until that calls __kmpc_end_barrier_master:
// a barrier before its section and one behind it.
GOSSAMER_EXPORT int32_t __kmpc_barrier_master(Ident*, int32_t) {
    omp::Thread& thread = omp::current();
    omp::barrier(thread);
    if (thread.num == 0) return 1;
    omp::barrier(thread);
    return 0;
}

GOSSAMER_EXPORT void __kmpc_end_barrier_master(Ident*, int32_t) { omp::barrier(omp::current()); }

GOSSAMER_EXPORT int32_t __kmpc_barrier_master_nowait(Ident*, int32_t) {
    omp::Thread& thread = omp::current();
    omp::barrier(thread);
    return thread.num == 0;
}

// A program that waits for a sibling by reading memory flushes in between: lets the
// sibling run if it is queued on this carrier.
GOSSAMER_EXPORT void __kmpc_flush(Ident*) {
    std::atomic_thread_fence(std::memory_order_seq_cst);  // pairs with the flushes of other threads
    fiber::scheduling_point();
    if (!fiber::nothing_queued()) fiber::yield();
}

// The same with a memory order and a scope. Every order is served as the strongest one, which the yield needs anyway.
GOSSAMER_EXPORT void __kmpc_flush_explicit(Ident* where, int32_t, int32_t) { __kmpc_flush(where); }
