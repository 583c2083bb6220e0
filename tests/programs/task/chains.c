// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Chains of tasks, 100,000 long: each generates the next and ends, so no stack may grow with them.
//
// libomp 19 nests the tasks of a team of one on the stack, and overflows it:
// test: peer-teams clang 2 3 8 4x8
#include "check.h"

static void link_of_chain(int left, int* count) {
    ++*count;
    if (left > 0) {
#pragma omp task
        link_of_chain(left - 1, count);
    }
}

static void chain_of_tasks(int width) {
    int count = 0;
#pragma omp parallel num_threads(width)
    {
#pragma omp single
        {
#pragma omp task
            link_of_chain(100000, &count);
        }
    }
    EXPECT_EQ(count, 100001);
}

int main(void) {
    check_share("chain-of-tasks", chain_of_tasks, 10);
    return check_done();
}
