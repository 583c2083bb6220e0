// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// dyn-var true: a team may be smaller than requested but never larger, and every construct works in it.
// Flat only, since the harness's outer teams must have the requested size.
// libomp 19 aborts at a nested region whose size it may adjust:
// test: peer-skip clang constructs
// test: teams 1 2 3 8
// test: env OMP_DYNAMIC=true
// test: reps 10
#include "check.h"

static void at_most(int width) {
    int count = 0, size = 0;
    EXPECT_EQ(omp_get_dynamic(), 1);
#pragma omp parallel num_threads(width) reduction(+ : count)
    {
        count = 1;
#pragma omp single
        size = omp_get_num_threads();
    }
    EXPECT_EQ(count, size);
    EXPECT(size >= 1 && size <= width);
}

static void constructs(int width) {
    int hits[100] = {0}, singles = 0;
#pragma omp parallel num_threads(width)
    {
#pragma omp for schedule(dynamic)
        for (int i = 0; i < 100; ++i) hits[i]++;
#pragma omp single
        singles++;
#pragma omp barrier
#pragma omp parallel num_threads(4)
        {
            EXPECT(omp_get_num_threads() <= 4);
#pragma omp barrier
        }
    }
    for (int i = 0; i < 100; ++i) EXPECT_EQ(hits[i], 1);
    EXPECT_EQ(singles, 1);
}

int main(void) {
    check("at-most", at_most);
    check("constructs", constructs);
    return check_done();
}
