// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Opens a C++ library inside a region, from one thread or from all of them, and uses the library's
// thread-local variables in every thread. Argument: the library.
#include <dlfcn.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

typedef int (*Function)(int);

static Function find(void* library, const char* name) {
    Function function;
    *(void**)&function = dlsym(library, name);
    return function;
}

int main(int argc, char** argv) {
    if (argc < 2) return 2;
    int wrong = 0;
    omp_set_max_active_levels(4);
    for (int all = 0; all <= 1; ++all) {
        void* shared = NULL;
#pragma omp parallel num_threads(8) reduction(+ : wrong)
        {
            int me = omp_get_thread_num() + 30 + 20 * all;
            void* library = NULL;
            if (all || omp_get_thread_num() == 5) shared = library = dlopen(argv[1], RTLD_NOW);
#pragma omp barrier
            Function mark = find(shared, "loaded_mark"), test = find(shared, "loaded_check"),
                     thrower = find(shared, "loaded_throw");
            if (!mark || !test || !thrower) {
                fprintf(stderr, "%s\n", dlerror());
                exit(2);
            }
            wrong += all ? 0 : mark(me) != 1;
            if (!all) {
#pragma omp barrier
                wrong += test(me) != 1;
            }
            wrong += thrower(me) != me;
#pragma omp parallel num_threads(2) reduction(+ : wrong)
            wrong += thrower(me + 1) != me + 1;
#pragma omp barrier
            if (library) dlclose(library);
        }
    }
    printf("wrong %d\n", wrong);
    return wrong != 0;
}
