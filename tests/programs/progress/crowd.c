// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// More OpenMP threads than anyone has processors, all but one of which sleep in the system until that one wakes them: each
// needs a native thread of its own.
// test: teams 1100
// test: reps 1
#include <semaphore.h>

#include "check.h"

static void last_wakes_all(int width) {
    sem_t woken;
    int gone = 0;
    sem_init(&woken, 0, 0);
#pragma omp parallel num_threads(width)
    {
        if (omp_get_thread_num() == width - 1) {
            for (int i = 0; i < width - 1; ++i) sem_post(&woken);
        } else {
            while (sem_wait(&woken) != 0) {}
        }
#pragma omp atomic
        gone++;
    }
    EXPECT_EQ(gone, width);
    sem_destroy(&woken);
}

int main(void) {
    check("last-wakes-all", last_wakes_all);
    return check_done();
}
