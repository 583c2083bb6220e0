/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The library named on the command line has one address for a name, with every version that a peer gives it and without. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>

int main(int count, char** arguments) {
    void* library = count == 2 ? dlopen(arguments[1], RTLD_NOW) : NULL;
    if (library == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        return 1;
    }
    void* plain = dlsym(library, "omp_init_lock");
    const char* nodes[] = {"OMP_1.0", "OMP_3.0", "VERSION"};
    for (unsigned node = 0; node < sizeof(nodes) / sizeof(nodes[0]); ++node) {
        if (plain == NULL || dlvsym(library, "omp_init_lock", nodes[node]) != plain) {
            fprintf(stderr, "omp_init_lock@%s is not omp_init_lock\n", nodes[node]);
            return 1;
        }
    }
    if (dlvsym(library, "omp_init_lock", "OMP_5.1") != NULL) {
        fprintf(stderr, "no runtime has omp_init_lock@OMP_5.1\n");
        return 1;
    }
    return 0;
}
