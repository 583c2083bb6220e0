// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// pthread_create or mmap fails at the runtime's k-th call, or from there on. The functions of these names below replace
// libc's for all callers by name; libc's own calls bypass them. Arguments: thread or map, k, the number of calls that fail
// (0: all further calls). Prints whether every result was right, and the numbers of calls.
#include <dlfcn.h>
#include <errno.h>
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

typedef int (*Create)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
typedef void* (*Map)(void*, size_t, int, int, int, off_t);

static Create real_create;
static Map real_map;
static long first_thread, first_map, failing, threads, maps;

static int due(long* count, long first) {
    long call = __atomic_add_fetch(count, 1, __ATOMIC_RELAXED);
    return first != 0 && call >= first && (failing == 0 || call < first + failing);
}

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*main)(void*), void* argument) {
    if (!real_create) *(void**)&real_create = dlsym(RTLD_NEXT, "pthread_create");
    return due(&threads, first_thread) ? EAGAIN : real_create(thread, attributes, main, argument);
}

void* mmap(void* address, size_t size, int protection, int flags, int file, off_t offset) {
    if (!real_map) *(void**)&real_map = dlsym(RTLD_NEXT, "mmap");
    if (due(&maps, first_map)) {
        errno = ENOMEM;
        return MAP_FAILED;
    }
    return real_map(address, size, protection, flags, file, offset);
}

static int region(int width, int inner) {
    int ran = 0, expected = 0, sum = 0;
#pragma omp parallel num_threads(width) reduction(+ : ran, expected, sum)
    {
        int mine = 0;
        if (inner > 0) {
#pragma omp parallel num_threads(inner) reduction(+ : mine)
            {
#pragma omp barrier
                mine = 1;
            }
        } else {
#pragma omp barrier
            mine = 1;
        }
        ran += mine;
        if (inner == 0 && omp_get_thread_num() == 0) expected = omp_get_num_threads();
#pragma omp for schedule(dynamic, 3)
        for (int i = 0; i < 100; ++i) sum += i;
    }
    return sum == 4950 && (inner > 0 || ran == expected);
}

int main(int argc, char** argv) {
    if (argc < 4) return 2;
    *(strcmp(argv[1], "thread") == 0 ? &first_thread : &first_map) = atol(argv[2]);
    failing = atol(argv[3]);
    omp_set_max_active_levels(4);
    int good = 1;
    good &= region(2, 0);
    good &= region(6, 0);
    good &= region(3, 4);
    good &= region(20, 0);
    good &= region(8, 0);
    good &= region(4, 6);
    printf("%s %ld %ld\n", good ? "good" : "bad", threads, maps);
    return !good;
}
