// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lock routines (OpenMP 5.2 §18.9). The locks fit both gcc's and clang's lock types.
#include "abi/api/fortran.hpp"
#include "omp/omp.hpp"

using namespace gossamer;

GOSSAMER_EXPORT void omp_init_lock(void* lock) { omp::lock_init(lock); }
GOSSAMER_EXPORT void omp_init_lock_with_hint(void* lock, int) { omp::lock_init(lock); }
GOSSAMER_EXPORT void omp_destroy_lock(void*) {}
GOSSAMER_EXPORT void omp_set_lock(void* lock) { omp::lock_set(lock); }
GOSSAMER_EXPORT void omp_unset_lock(void* lock) { omp::lock_unset(lock); }
GOSSAMER_EXPORT int omp_test_lock(void* lock) { return omp::lock_test(lock); }

GOSSAMER_EXPORT void omp_init_nest_lock(void* lock) { omp::nest_lock_init(lock); }
GOSSAMER_EXPORT void omp_init_nest_lock_with_hint(void* lock, int) { omp::nest_lock_init(lock); }
GOSSAMER_EXPORT void omp_destroy_nest_lock(void* lock) { omp::nest_lock_destroy(lock); }
GOSSAMER_EXPORT void omp_set_nest_lock(void* lock) { omp::nest_lock_set(lock); }
GOSSAMER_EXPORT void omp_unset_nest_lock(void* lock) { omp::nest_lock_unset(lock); }
GOSSAMER_EXPORT int omp_test_nest_lock(void* lock) { return omp::nest_lock_test(lock); }

GOSSAMER_FORTRAN_ALIAS(omp_init_lock)
GOSSAMER_FORTRAN_ALIAS(omp_init_lock_with_hint)
GOSSAMER_FORTRAN_ALIAS(omp_destroy_lock)
GOSSAMER_FORTRAN_ALIAS(omp_set_lock)
GOSSAMER_FORTRAN_ALIAS(omp_unset_lock)
GOSSAMER_FORTRAN_ALIAS(omp_test_lock)
GOSSAMER_FORTRAN_ALIAS(omp_init_nest_lock)
GOSSAMER_FORTRAN_ALIAS(omp_init_nest_lock_with_hint)
GOSSAMER_FORTRAN_ALIAS(omp_destroy_nest_lock)
GOSSAMER_FORTRAN_ALIAS(omp_set_nest_lock)
GOSSAMER_FORTRAN_ALIAS(omp_unset_nest_lock)
GOSSAMER_FORTRAN_ALIAS(omp_test_nest_lock)
