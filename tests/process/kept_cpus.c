// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Prints the processors that the runtime counts, the threads of a region, and on how many processors all of them together may
// run.
#define _GNU_SOURCE
#include <omp.h>
#include <sched.h>
#include <stdio.h>

int main(void) {
    int threads = 0;
    cpu_set_t all;
    CPU_ZERO(&all);
#pragma omp parallel
    {
        cpu_set_t own;
        sched_getaffinity(0, sizeof own, &own);
#pragma omp critical
        {
            threads++;
            CPU_OR(&all, &all, &own);
        }
    }
    printf("%d %d %d\n", omp_get_num_procs(), threads, CPU_COUNT(&all));
    return 0;
}
