/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Adds up the numbers of four threads and prints the sum and its runtime's file. LIBRARY compiles only the half that needs
   OpenMP, USER only the rest. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>

int sum(void);

#ifndef USER
#include <omp.h>
int sum(void) {
    int total = 0;
#pragma omp parallel num_threads(4) reduction(+ : total)
    total += omp_get_thread_num();
    return total;
}
#endif

#ifndef LIBRARY
int main(void) {
    int total = sum();
    void* entry = dlsym(RTLD_DEFAULT, "omp_get_thread_num");
    Dl_info runtime;
    if (entry == NULL || dladdr(entry, &runtime) == 0) return 1;
    char file[4096];
    if (realpath(runtime.dli_fname, file) == NULL) return 2;
    printf("%d %s\n", total, basename(file));
    return 0;
}
#endif
