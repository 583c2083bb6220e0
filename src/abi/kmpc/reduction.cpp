// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The end of a construct with a reduction clause (OpenMP 5.2 §5.5.5). Returned to the program: 0, nothing is left to do; 1,
// combine and call the end entry; 2, combine atomically.
#include "abi/kmpc/kmpc.hpp"

using namespace gossamer;
using abi::Ident;

namespace {

constexpr int32_t flag_atomic = 0x10;  // of Ident::flags: the program can combine by atomic updates

using Combine = void (*)(void* into, void* from);

int32_t begin(const Ident* where, int32_t variables, void* data, Combine combine, int32_t* lock, bool waits) {
    omp::ReductionOffer offer;
    offer.variables = static_cast<uint32_t>(variables);
    offer.data = data;
    offer.combine = combine;
    offer.atomic = where != nullptr && (where->flags & flag_atomic) != 0;
    return static_cast<int32_t>(omp::reduction_begin(omp::current(), lock, offer, waits));
}

}  // namespace

GOSSAMER_EXPORT int32_t __kmpc_reduce(Ident* where, int32_t, int32_t variables, size_t, void* data, Combine combine,
                                      int32_t* lock) {
    return begin(where, variables, data, combine, lock, true);
}

GOSSAMER_EXPORT int32_t __kmpc_reduce_nowait(Ident* where, int32_t, int32_t variables, size_t, void* data, Combine combine,
                                             int32_t* lock) {
    return begin(where, variables, data, combine, lock, false);
}

GOSSAMER_EXPORT void __kmpc_end_reduce(Ident*, int32_t, int32_t* lock) { omp::reduction_end(omp::current(), lock, true); }

GOSSAMER_EXPORT void __kmpc_end_reduce_nowait(Ident*, int32_t, int32_t* lock) {
    omp::reduction_end(omp::current(), lock, false);
}

// The method of the current reduction, as libomp numbers it.
GOSSAMER_EXPORT int32_t __kmp_get_reduce_method() {
    switch (omp::current().reduction.method) {
        case omp::ReductionMethod::critical: return 1;
        case omp::ReductionMethod::atomic: return 2;
        case omp::ReductionMethod::tree: return 3;
        case omp::ReductionMethod::single: break;
    }
    return 4;
}
