// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Teams many times wider than the machine: numbers, barriers, loops, reductions, singles.
// test: teams 64 300 4x64
// test: reps 4
#include "check.h"

static void numbers(int width) {
    char* seen = (char*)calloc((size_t)width, 1);
#pragma omp parallel num_threads(width)
    {
        int me = omp_get_thread_num();
        EXPECT_EQ(omp_get_num_threads(), width);
        EXPECT_EQ(seen[me], 0);
        seen[me] = 1;
#pragma omp barrier
        EXPECT_EQ(seen[(me + 1) % width], 1);
    }
    free(seen);
}

static void barriers(int width) {
    int* phase = (int*)calloc((size_t)width, sizeof(int));
#pragma omp parallel num_threads(width)
    for (int p = 1; p <= 4; ++p) {
        int me = omp_get_thread_num();
        phase[me] = p;
#pragma omp barrier
        EXPECT_EQ(phase[(me * 7 + 1) % width], p);
        EXPECT_EQ(phase[width - 1 - me], p);
#pragma omp barrier
    }
    free(phase);
}

static void work(int width) {
    long sum = 0, ordered_sum = 0;
    int singles = 0, next = 0;
#pragma omp parallel num_threads(width) reduction(+ : sum)
    {
#pragma omp for schedule(static) nowait
        for (int i = 0; i < 1000; ++i) sum += i;
#pragma omp for schedule(dynamic, 2) nowait
        for (int i = 0; i < 1000; ++i) sum += i;
#pragma omp for schedule(guided)
        for (int i = 0; i < 1000; ++i) sum += i;
#pragma omp single
        singles++;
#pragma omp for ordered schedule(static, 1)
        for (int i = 0; i < 200; ++i) {
#pragma omp ordered
            ordered_sum += next++ == i;
        }
    }
    EXPECT_EQ(sum, 3 * 499500);
    EXPECT_EQ(singles, 1);
    EXPECT_EQ(ordered_sum, 200);
}

int main(void) {
    check("numbers", numbers);
    check("barriers", barriers);
    check("work", work);
    return check_done();
}
