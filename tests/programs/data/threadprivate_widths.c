// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threadprivate values of a level-1 thread outlive narrower regions between two regions of the widest team. A
// region never shows a thread another thread's values.
// test: teams 1 2 3 8 16
#include "check.h"

static int owner = -1;
static long visits;
#pragma omp threadprivate(owner, visits)

static void same_width(int width) {
    for (int round = 0; round < 5; ++round) {
#pragma omp parallel num_threads(width)
        {
            if (round == 0) {
                owner = omp_get_thread_num();
                visits = 0;
            }
            EXPECT_EQ(owner, omp_get_thread_num());
            EXPECT_EQ(visits, round);
            visits++;
        }
    }
}

// Nested regions of other threads in between must not change the values of level-1 threads.
static void with_nested_between(int width) {
#pragma omp parallel num_threads(width)
    {
        owner = omp_get_thread_num();
        visits = 1;
    }
#pragma omp parallel num_threads(width)
    {
#pragma omp parallel num_threads(3)
        if (omp_get_thread_num() != 0) owner = -5;
    }
#pragma omp parallel num_threads(width)
    {
        EXPECT_EQ(owner, omp_get_thread_num());
        EXPECT_EQ(visits, 1);
    }
}

int main(void) {
    check("same-width", same_width);
    check("with-nested-between", with_nested_between);
    return check_done();
}
