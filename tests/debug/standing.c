// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Comes to a standstill with OpenMP threads in every state, for a debugger. In a team of 4, thread 1 computes, threads 0 and
// 3 wait at the team's barrier, and thread 2 is the primary thread of a team of 3. In that team thread 2 is in
// here_it_stands, and threads 0 and 1 wait at a barrier for it.
#include <omp.h>
#include <stdlib.h>
#include <unistd.h>

static int computing, inner_waiting;

__attribute__((noinline)) void here_it_stands(int number) {
    // Gives the other threads time to begin their waits.
    for (int i = 0; i < 200; ++i) usleep(1000);
    if (number == 2) abort();
}

__attribute__((noinline)) void compute_for_ever(volatile long* counter) {
    __atomic_store_n(&computing, 1, __ATOMIC_RELEASE);
    for (;;) ++*counter;
}

__attribute__((noinline)) void inner_region(void) {
#pragma omp parallel num_threads(3)
    {
        if (omp_get_thread_num() == 2) {
            while (__atomic_load_n(&inner_waiting, __ATOMIC_ACQUIRE) != 2) usleep(100);
            here_it_stands(omp_get_thread_num());
        }
        __atomic_add_fetch(&inner_waiting, 1, __ATOMIC_RELEASE);
#pragma omp barrier
    }
}

int main(void) {
    volatile long counter = 0;
    omp_set_max_active_levels(4);
#pragma omp parallel num_threads(4)
    {
        if (omp_get_thread_num() == 1) {
            compute_for_ever(&counter);
        } else if (omp_get_thread_num() == 2) {
            while (!__atomic_load_n(&computing, __ATOMIC_ACQUIRE)) usleep(100);
            inner_region();
        }
#pragma omp barrier
    }
    return 0;
}
