// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Recursion without end in one OpenMP thread. Arguments: width, thread, inner width (0: flat;
// otherwise the thread belongs to the last inner team), how (behind: the other threads of the flat
// team never wait; late: the same after a barrier; starved: the process gets no more address space;
// wide: by frames larger than a page).
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

__attribute__((noinline)) static int recurse(volatile char* above) {
    volatile char frame[512];
    frame[0] = above[0];
    int below = recurse(frame) + 1;
    return below + frame[0];
}

__attribute__((noinline)) static int recurse_widely(volatile char* above) {
    volatile char frame[40000];
    frame[0] = above[0];
    int below = recurse_widely(frame) + 1;
    return below + frame[0];
}

static volatile int stop;

static void starve(void) {
    unsigned long pages = 0;
    FILE* const file = fopen("/proc/self/statm", "r");
    if (file == NULL || fscanf(file, "%lu", &pages) != 1) exit(3);
    fclose(file);
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) != 0) exit(4);
    limit.rlim_cur = pages * sysconf(_SC_PAGESIZE);
    if (setrlimit(RLIMIT_AS, &limit) != 0) exit(5);
}

int main(int argc, char** argv) {
    if (argc < 4) return 2;
    const char* how = argc > 4 ? argv[4] : "";
    int width = atoi(argv[1]), which = atoi(argv[2]), inner = atoi(argv[3]), result = 0;
    volatile char seed[1] = {1};
    omp_set_max_active_levels(4);
#pragma omp parallel num_threads(width)
    {
        if (strcmp(how, "late") == 0) {
#pragma omp barrier
        }
        if (inner == 0) {
            if (omp_get_thread_num() == which) {
                if (strcmp(how, "starved") == 0) starve();
                result = strcmp(how, "wide") == 0 ? recurse_widely(seed) : recurse(seed);
            }
        } else {
#pragma omp parallel num_threads(inner)
            if (omp_get_ancestor_thread_num(1) == width - 1 && omp_get_thread_num() == which) result = recurse(seed);
        }
        while (how[0] != 0 && !stop) {}
#pragma omp barrier
    }
    printf("%d\n", result);
    return 0;
}
