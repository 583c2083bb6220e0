// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Prints the number of processors that the runtime counts and the threads of a region without num_threads.
#include <omp.h>
#include <stdio.h>

int main(void) {
    int threads = 0;
#pragma omp parallel reduction(+ : threads)
    threads++;
    printf("%d %d\n", omp_get_num_procs(), threads);
    return 0;
}
