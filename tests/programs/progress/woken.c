// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A native thread that sleeps is called for one OpenMP thread, and before it is awake also for another one, which then runs
// first and waits for the former without the runtime's help. Numbers 1 and 3 share a carrier of two.
// test: teams 1 4 5 2x4
// test: reps 3
// test: gossamer-env GOSSAMER_CARRIERS=2
#include "check.h"
#include "compute.h"

static void for_two_threads(int width) {
    enum { long_enough_us = 60000 };  // for all that waits to fall asleep
    const int threads = width > 3 ? 2 : 0;
    omp_lock_t first, second;
    int waiting = 0, passed = 0;
    omp_init_lock(&first);
    omp_init_lock(&second);
    omp_set_lock(&first);
    omp_set_lock(&second);
#pragma omp parallel num_threads(width)
    {
        const int me = omp_get_thread_num();
        if (me == 0) {
            while (__atomic_load_n(&waiting, __ATOMIC_ACQUIRE) != threads) {}
            compute_for(long_enough_us);
            omp_unset_lock(&first);
            omp_unset_lock(&second);
            while (__atomic_load_n(&passed, __ATOMIC_ACQUIRE) != threads) {}
        } else if (me == 1 && threads != 0) {
            __atomic_add_fetch(&waiting, 1, __ATOMIC_RELEASE);
            omp_set_lock(&second);
            while (__atomic_load_n(&passed, __ATOMIC_ACQUIRE) != 1) {}
            __atomic_store_n(&passed, 2, __ATOMIC_RELEASE);
            omp_unset_lock(&second);
        } else if (me == 3) {
            __atomic_add_fetch(&waiting, 1, __ATOMIC_RELEASE);
            omp_set_lock(&first);
            __atomic_store_n(&passed, 1, __ATOMIC_RELEASE);
            omp_unset_lock(&first);
        }
    }
    EXPECT_EQ(passed, threads);
    omp_destroy_lock(&first);
    omp_destroy_lock(&second);
}

int main(void) {
    check("for-two-threads", for_two_threads);
    return check_done();
}
