// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs regions, sleeps for a second, and prints the CPU time in microseconds that the process takes in
// another second of sleep.
#include <omp.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

static long cpu_microseconds(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000L + usage.ru_utime.tv_usec + usage.ru_stime.tv_usec;
}

int main(void) {
    omp_set_max_active_levels(4);
    for (int i = 0; i < 200; ++i) {
#pragma omp parallel num_threads(1 + i % 9)
        {
#pragma omp parallel num_threads(1 + i % 3)
            {
#pragma omp barrier
            }
        }
    }
    sleep(1);
    long before = cpu_microseconds();
    sleep(1);
    printf("%ld\n", cpu_microseconds() - before);
    return 0;
}
