// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cancel and cancellation point (OpenMP 5.2 §16.1-16.2).
#include "abi/gomp/gomp.hpp"

using namespace gossamer;

// `activate` false: the if clause is false, and the construct is a cancellation point only.
GOSSAMER_EXPORT bool GOMP_cancel(int kind, bool activate) {
    omp::Thread& thread = omp::current();
    const auto which = static_cast<omp::CancelKind>(kind);
    return activate ? omp::cancel(thread, which) : omp::cancellation_point(thread, which);
}

GOSSAMER_EXPORT bool GOMP_cancellation_point(int kind) {
    return omp::cancellation_point(omp::current(), static_cast<omp::CancelKind>(kind));
}
