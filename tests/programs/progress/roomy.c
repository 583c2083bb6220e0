// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Thread-local storage that is larger than most stacks of the runtime's own native threads: the monitor must start
// all the same.
// test: teams 1 2 3 8 2x3
// test: reps 2
#include "check.h"

static __thread char roomy[3 << 20];

static void last_lets_go(int width) {
    int go = 0, gone = 0;
#pragma omp parallel num_threads(width)
    {
        roomy[sizeof roomy - 1] = 1;
        if (omp_get_thread_num() == width - 1) __atomic_store_n(&go, 1, __ATOMIC_RELEASE);
        while (!__atomic_load_n(&go, __ATOMIC_ACQUIRE)) {}
#pragma omp atomic
        gone += roomy[sizeof roomy - 1];
    }
    EXPECT_EQ(gone, width);
}

int main(void) {
    check("last-lets-go", last_lets_go);
    return check_done();
}
