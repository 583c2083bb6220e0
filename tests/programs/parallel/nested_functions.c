// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A nested function whose address is taken: gcc builds its code on the stack of the thread that calls, which must be
// executable. test: compilers gcc
// test: teams 1 2 3 8 16
#include "check.h"

static __attribute__((noinline)) int applied(int (*function)(int), int value) { return function(value); }

static __attribute__((noinline)) int sum_of(int added) {
    int add(int value) { return value + added; }
    return applied(add, 1);
}

static void before_and_after_a_barrier(int width) {
    int wrong = 0;
#pragma omp parallel num_threads(width) reduction(+ : wrong)
    {
        int me = omp_get_thread_num();
        wrong += sum_of(me) != me + 1;
#pragma omp barrier
        wrong += sum_of(2 * me) != 2 * me + 1;
    }
    EXPECT_EQ(wrong, 0);
}

static void in_nested_teams(int width) {
    int wrong = 0;
#pragma omp parallel num_threads(width) reduction(+ : wrong)
#pragma omp parallel num_threads(3) reduction(+ : wrong)
    {
        wrong += sum_of(5) != 6;
#pragma omp barrier
        wrong += sum_of(7) != 8;
    }
    EXPECT_EQ(wrong, 0);
}

int main(void) {
    check("before-and-after-a-barrier", before_and_after_a_barrier);
    check("in-nested-teams", in_nested_teams);
    return check_done();
}
