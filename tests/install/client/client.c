// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Adds up in a team and prints the sum and the runtime's file.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <omp.h>
#include <stdio.h>

int main(void) {
    long sum = 0;
#pragma omp parallel for num_threads(3) reduction(+ : sum)
    for (long i = 1; i <= 1000; ++i) {
        sum += i;
    }
    Dl_info info;
    printf("%ld %s\n", sum, dladdr((void*)omp_get_max_threads, &info) != 0 ? info.dli_fname : "?");
    return 0;
}
