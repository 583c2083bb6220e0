// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cancel and cancellation point (OpenMP 5.2 §16.1-16.2). Kinds are 1 parallel, 2 loop, 3 sections, 4 taskgroup.
#include "abi/kmpc/kmpc.hpp"

using namespace gossamer;
using abi::Ident;

namespace {

omp::CancelKind decode(int32_t kind) { return static_cast<omp::CancelKind>(1U << (kind - 1)); }

}  // namespace

GOSSAMER_EXPORT int32_t __kmpc_cancel(Ident*, int32_t, int32_t kind) { return omp::cancel(omp::current(), decode(kind)); }

GOSSAMER_EXPORT int32_t __kmpc_cancellationpoint(Ident*, int32_t, int32_t kind) {
    return omp::cancellation_point(omp::current(), decode(kind));
}
