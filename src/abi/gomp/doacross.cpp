// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Doacross loop nests (OpenMP 5.2 §15.9.6). The program counts every dimension from 0 by 1.
#include <cstdarg>

#include "abi/gomp/loop.hpp"

using namespace gossamer;
using abi::Ull;

namespace {

template <class T>
bool start(unsigned ncounts, T* counts, long sched, uint64_t chunk, T* begin, T* end, uintptr_t* reductions = nullptr,
           void** memory = nullptr) {
    omp::Loop loop = abi::make_loop(true, 0, static_cast<Ull>(counts[0]), 1);
    abi::choose(loop, omp::current().icvs(), sched | abi::sched_monotonic, chunk);
    return abi::start_extended(loop, reinterpret_cast<const uint64_t*>(counts), ncounts, reductions, memory, begin, end);
}

}  // namespace

#define STARTS(prefix, T, T_CHUNK, SIZE)                                                                          \
    GOSSAMER_EXPORT bool prefix##_static_start(unsigned ncounts, T* counts, T_CHUNK chunk, T* begin, T* end) {    \
        return start(ncounts, counts, abi::sched_static, SIZE(chunk), begin, end);                                \
    }                                                                                                             \
    GOSSAMER_EXPORT bool prefix##_dynamic_start(unsigned ncounts, T* counts, T_CHUNK chunk, T* begin, T* end) {   \
        return start(ncounts, counts, abi::sched_dynamic, SIZE(chunk), begin, end);                               \
    }                                                                                                             \
    GOSSAMER_EXPORT bool prefix##_guided_start(unsigned ncounts, T* counts, T_CHUNK chunk, T* begin, T* end) {    \
        return start(ncounts, counts, abi::sched_guided, SIZE(chunk), begin, end);                                \
    }                                                                                                             \
    GOSSAMER_EXPORT bool prefix##_runtime_start(unsigned ncounts, T* counts, T* begin, T* end) {                  \
        return start(ncounts, counts, abi::sched_runtime, 0, begin, end);                                         \
    }                                                                                                             \
    GOSSAMER_EXPORT bool prefix##_start(unsigned ncounts, T* counts, long sched, T_CHUNK chunk, T* begin, T* end, \
                                        uintptr_t* reductions, void** memory) {                                   \
        return start(ncounts, counts, sched, SIZE(chunk), begin, end, reductions, memory);                        \
    }

STARTS(GOMP_loop_doacross, long, long, abi::given_chunk)
STARTS(GOMP_loop_ull_doacross, Ull, Ull, uint64_t)

GOSSAMER_EXPORT void GOMP_doacross_post(long* iteration) {
    omp::doacross_post(omp::current(), reinterpret_cast<const int64_t*>(iteration));
}

GOSSAMER_EXPORT void GOMP_doacross_ull_post(Ull* iteration) {
    omp::doacross_post(omp::current(), reinterpret_cast<const int64_t*>(iteration));
}

// The variadic arguments are one loop variable for each dimension.
#define WAIT(T)                                                                                     \
    omp::Thread& thread = omp::current();                                                           \
    const uint32_t dimensions = omp::doacross_dimensions(thread);                                   \
    if (dimensions == 0) return;                                                                    \
    auto* const iteration = static_cast<int64_t*>(__builtin_alloca(dimensions * sizeof(int64_t)));  \
    iteration[0] = static_cast<int64_t>(first);                                                     \
    va_list rest;                                                                                   \
    va_start(rest, first);                                                                          \
    for (uint32_t i = 1; i < dimensions; ++i) iteration[i] = static_cast<int64_t>(va_arg(rest, T)); \
    va_end(rest);                                                                                   \
    omp::doacross_wait(thread, iteration)

GOSSAMER_EXPORT void GOMP_doacross_wait(long first, ...) { WAIT(long); }
GOSSAMER_EXPORT void GOMP_doacross_ull_wait(Ull first, ...) { WAIT(Ull); }
