// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A shared library that uses OpenMP inside. Each compiler builds it under another name.
#include <omp.h>

#define NAME_(prefix, name) prefix##name
#define NAME(prefix, name) NAME_(prefix, name)

__attribute__((visibility("default"))) int NAME(PREFIX, _max_threads)(void) { return omp_get_max_threads(); }

__attribute__((visibility("default"))) void NAME(PREFIX, _set_threads)(int n) { omp_set_num_threads(n); }

__attribute__((visibility("default"))) long NAME(PREFIX, _sum)(int width, int n) {
    long sum = 0;
#pragma omp parallel for num_threads(width) reduction(+ : sum) schedule(dynamic, 3)
    for (int i = 0; i < n; ++i) sum += i;
    return sum;
}

__attribute__((visibility("default"))) int NAME(PREFIX, _level)(void) { return omp_get_level(); }

// Every thread of a region calls the other library, whose regions then nest inside this library's region.
__attribute__((visibility("default"))) long NAME(PREFIX, _nest)(int width, long (*inner)(int, int), int* levels,
                                                                int (*level)(void)) {
    long sum = 0;
    int low = 1000;
#pragma omp parallel num_threads(width) reduction(+ : sum) reduction(min : low)
    {
        sum += inner(2, 10);
        low = level();
    }
    *levels = low;
    return sum;
}
