// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The scope construct with task reductions (OpenMP 5.2 §11.2, §5.5.8): a share elects the thread whose array the others adopt;
// the program calls the construct's barrier.
#include "abi/gomp/loop.hpp"

using namespace gossamer;

GOSSAMER_EXPORT void GOMP_scope_start(uintptr_t* reductions) {
    omp::Thread& thread = omp::current();
    fiber::scheduling_point();
    omp::share_enter(thread);
    abi::prepare_extended(thread, nullptr, nullptr, 0, reductions, nullptr);
    omp::share_leave(thread);
}
