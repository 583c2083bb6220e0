// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Work that takes CPU time and nothing else.
#pragma once

#include <time.h>

__attribute__((unused)) static void compute_for(long microseconds) {
    struct timespec begin, now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
    do clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    while ((now.tv_sec - begin.tv_sec) * 1000000 + (now.tv_nsec - begin.tv_nsec) / 1000 < microseconds);
}
