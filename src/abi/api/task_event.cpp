// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// omp_fulfill_event (OpenMP 5.2 §18.11.1): for both ABIs the event handle is the task's address.
#include "abi/api/fortran.hpp"
#include "omp/omp.hpp"

GOSSAMER_EXPORT void omp_fulfill_event(std::uintptr_t event) {
    gossamer::omp::task_fulfil(*reinterpret_cast<gossamer::omp::Task*>(event));
}
GOSSAMER_FORTRAN_ALIAS(omp_fulfill_event)  // Fortran passes the event by value too
