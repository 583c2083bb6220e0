// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// scope: every thread, its private data and reductions, the implied barrier and nowait.
//
// clang 19 parses scope and cannot compile it:
// test: compilers gcc
#include "check.h"

static void everyone(int width) {
    int count = 0, own = 5;
#pragma omp parallel num_threads(width)
    {
#pragma omp scope private(own)
        {
            own = omp_get_thread_num();
#pragma omp atomic
            count += own >= 0;
        }
        EXPECT_EQ(count, width);
    }
    EXPECT_EQ(own, 5);
}

static void reduction(int width) {
    int sum = 7;
    double product = 1;
#pragma omp parallel num_threads(width)
    {
        for (int round = 1; round <= 3; ++round) {
#pragma omp scope reduction(+ : sum)
            sum += 1;
            EXPECT_EQ(sum, 7 + round * width);
#pragma omp barrier
        }
#pragma omp scope reduction(* : product) nowait
        product *= 2;
#pragma omp barrier
        EXPECT(product == (double)(1L << width));
    }
}

int main(void) {
    check("everyone", everyone);
    check("reduction", reduction);
    return check_done();
}
