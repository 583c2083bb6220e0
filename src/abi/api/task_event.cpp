// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// omp_fulfill_event (OpenMP 5.2 §18.11.1), for both compilers' events: the handle is the task.
#include "abi/api/fortran.hpp"
#include "omp/omp.hpp"

GOSSAMER_EXPORT void omp_fulfill_event(std::uintptr_t event) {
    gossamer::omp::task_fulfil(*reinterpret_cast<gossamer::omp::Task*>(event));
}
GOSSAMER_FORTRAN_ALIAS(omp_fulfill_event)  // the Fortran interface passes the event by value too
