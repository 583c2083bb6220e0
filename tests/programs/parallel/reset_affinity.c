// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// KMP_AFFINITY=reset: the runtime binds the initial thread in its outermost regions, always to the same place, and restores
// the thread's own mask between them.
// test: env KMP_AFFINITY=reset,granularity=thread,compact
// test: env KMP_AFFINITY=granularity=thread,scatter,1,1,reset
// test: teams 1 2 4
// libgomp does not know the setting:
// test: peer-none gcc
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "check.h"

static cpu_set_t mask_now(void) {
    cpu_set_t mask;
    CPU_ZERO(&mask);
    EXPECT(syscall(SYS_sched_getaffinity, 0, sizeof mask, &mask) > 0);
    return mask;
}

static void between_regions(int width) {
    const cpu_set_t before = mask_now();
    cpu_set_t inside[2], outside;
    for (int round = 0; round < 20; ++round) {
#pragma omp parallel num_threads(width + 1)
        {
            if (omp_get_thread_num() == 0) inside[round % 2] = mask_now();
#pragma omp parallel num_threads(2)
            {
#pragma omp barrier
            }
        }
        outside = mask_now();
        EXPECT(CPU_EQUAL(&outside, &before));
        EXPECT_EQ(CPU_COUNT(&inside[round % 2]), 1);
        if (round > 0) EXPECT(CPU_EQUAL(&inside[0], &inside[1]));
    }
}

int main(void) {
    check("between-regions", between_regions);
    return check_done();
}
