// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ways to end a process while OpenMP threads live. Argument: which.
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void* busy_root(void* started) {
#pragma omp parallel num_threads(4)
    {
        if (omp_get_thread_num() == 3)
            __atomic_store_n((int*)started, 1, __ATOMIC_RELEASE);
        for (;;) {
#pragma omp barrier
        }
    }
    return NULL;
}

static void at_exit(void) {
    printf("handler\n");
}

int main(int argc, char** argv) {
    const char* how = argc > 1 ? argv[1] : "";
    atexit(at_exit);
    omp_set_max_active_levels(4);
    if (strcmp(how, "exit-in-thread") == 0) {
#pragma omp parallel num_threads(6)
        {
            if (omp_get_thread_num() == 4)
                exit(3);
#pragma omp barrier
        }
    } else if (strcmp(how, "exit-in-nested-thread") == 0) {
#pragma omp parallel num_threads(3)
        {
#pragma omp parallel num_threads(3)
            {
                if (omp_get_ancestor_thread_num(1) == 2 && omp_get_thread_num() == 2)
                    exit(3);
#pragma omp barrier
            }
        }
    } else if (strcmp(how, "other-root-busy") == 0) {
        pthread_t thread;
        int started = 0;
        if (pthread_create(&thread, NULL, busy_root, &started) != 0)
            return 2;
        while (!__atomic_load_n(&started, __ATOMIC_ACQUIRE))
            usleep(100);
        return 3;
    } else if (strcmp(how, "abort-in-thread") == 0) {
#pragma omp parallel num_threads(6)
        {
            if (omp_get_thread_num() == 5)
                abort();
#pragma omp barrier
        }
    } else if (strcmp(how, "after-regions") == 0) {
        for (int i = 0; i < 50; ++i) {
#pragma omp parallel num_threads(1 + i % 7)
            {
#pragma omp barrier
            }
        }
        return 3;
    }
    return 2;
}
