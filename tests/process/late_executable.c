// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Opens a library that wants executable stacks after the runtime has made its stacks, and calls it on every thread. Arguments:
// the library, and where it is opened: between regions or inside one.
#include <dlfcn.h>
#include <omp.h>
#include <stdio.h>
#include <string.h>

static int (*sum_of)(int);

static int open_library(const char* path) {
    void* library = dlopen(path, RTLD_NOW);
    if (library == NULL) {
        puts(dlerror());
        return 0;
    }
    return (sum_of = (int (*)(int))dlsym(library, "sum_of")) != NULL;
}

int main(int argc, char** argv) {
    const int inside = argc > 2 && strcmp(argv[2], "inside") == 0;
    int opened = 0, wrong = 0;
    if (argc < 2) return 2;
    omp_set_max_active_levels(3);
    for (int round = 0; round < 3; ++round) {
        if (round == 1 && !inside) opened = open_library(argv[1]);
        // Threads beyond the carriers wait on stacks of their own from the first round on.
#pragma omp parallel num_threads(8) reduction(+ : wrong)
        {
            const int me = omp_get_thread_num();
#pragma omp barrier
#pragma omp single
            if (round == 1 && inside) opened = open_library(argv[1]);
            if (opened) wrong += sum_of(me) != me + 1;
#pragma omp barrier
            if (opened) wrong += sum_of(2 * me) != 2 * me + 1;
#pragma omp parallel num_threads(2) reduction(+ : wrong)
            {
#pragma omp barrier
                if (opened) wrong += sum_of(5) != 6;
            }
        }
    }
    printf("%s %d\n", opened ? "opened" : "not opened", wrong);
    return 0;
}
