// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Opens an OpenMP library, runs its region and closes it, over and over, in a program without OpenMP. Arguments: the
// library, its functions' prefix, the number of rounds. Prints how many rounds were right, and native threads (without
// workers) and KiB after a tenth of the rounds and at the end.
#include "usage.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char** argv) {
    if (argc < 4) return 2;
    char name[100];
    long rounds = atol(argv[3]), right = 0, early_kib = 0;
    int early_threads = 0;
    snprintf(name, sizeof name, "%s_sum", argv[2]);
    for (long i = 0; i < rounds; ++i) {
        void* library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
        long (*sum)(int, int);
        if (!library || !(*(void**)& sum = dlsym(library, name))) {
            fprintf(stderr, "%s\n", dlerror());
            return 2;
        }
        right += sum(1 + (int)(i % 6), 100) == 4950;
        if (dlclose(library) != 0) return 2;
        if (i == rounds / 10) {
            early_threads = threads_but_workers();
            early_kib = resident_kib();
        }
    }
    printf("%ld %d %d %ld %ld\n", right, early_threads, threads_but_workers(), early_kib, resident_kib());
    return 0;
}
