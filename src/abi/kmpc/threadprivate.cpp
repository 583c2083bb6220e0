// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threadprivate variables of programs that do not use native TLS for them (OpenMP 5.2 §5.2).
#include "abi/kmpc/kmpc.hpp"

using namespace gossamer;
using abi::Ident;

GOSSAMER_EXPORT void* __kmpc_threadprivate(Ident*, int32_t, void* data, size_t size) {
    return omp::threadprivate(data, size, nullptr);
}

GOSSAMER_EXPORT void* __kmpc_threadprivate_cached(Ident*, int32_t, void* data, size_t size, void*** cache) {
    return omp::threadprivate(data, size, cache);
}

GOSSAMER_EXPORT void __kmpc_threadprivate_register(Ident*, void* data, void* (*make)(void*), void* (*copy)(void*, void*),
                                                   void (*destroy)(void*)) {
    omp::threadprivate_register(
        data, {reinterpret_cast<void*>(make), reinterpret_cast<void*>(copy), reinterpret_cast<void*>(destroy), 0});
}

GOSSAMER_EXPORT void __kmpc_threadprivate_register_vec(Ident*, void* data, void* (*make)(void*, size_t),
                                                       void* (*copy)(void*, void*, size_t), void (*destroy)(void*, size_t),
                                                       size_t elements) {
    omp::threadprivate_register(
        data, {reinterpret_cast<void*>(make), reinterpret_cast<void*>(copy), reinterpret_cast<void*>(destroy), elements});
}
