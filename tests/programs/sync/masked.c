// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// master, masked and masked filter: only the named thread executes the region, which implies no barrier.
// gcc's code loads the region's variables in all threads, and stores them in the named thread only:
// test: races master masked
#include "check.h"

static void master(int width) {
    int count = 0, wrong = 0;
#pragma omp parallel num_threads(width)
    for (int i = 0; i < 5; ++i) {
#pragma omp master
        {
            count++;
            wrong += omp_get_thread_num() != 0;
        }
    }
    EXPECT_EQ(count, 5);
    EXPECT_EQ(wrong, 0);
}

static void masked(int width) {
    int count = 0;
#pragma omp parallel num_threads(width)
    {
#pragma omp masked
        count += 1 + 100 * omp_get_thread_num();
    }
    EXPECT_EQ(count, 1);
#pragma omp parallel masked num_threads(width)
    count += 1;
    EXPECT_EQ(count, 2);
}

static void filter(int width) {
    int hits[64] = {0};
#pragma omp parallel num_threads(width)
    for (int i = 0; i < width + 2; ++i) {
#pragma omp masked filter(i)
        {
            EXPECT_EQ(omp_get_thread_num(), i);
            hits[i]++;
        }
    }
    for (int i = 0; i < 64; ++i) EXPECT_EQ(hits[i], i < width);
}

static void own_filter(int width) {
    int count = 0;
#pragma omp parallel num_threads(width)
    {
#pragma omp masked filter(omp_get_thread_num())
        {
#pragma omp atomic
            count++;
        }
    }
    EXPECT_EQ(count, width);
}

int main(void) {
    check("master", master);
    check("masked", masked);
    check("filter", filter);
    check("own-filter", own_filter);
    return check_done();
}
