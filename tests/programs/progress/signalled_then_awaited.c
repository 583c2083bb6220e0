// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The process's first signal from one OpenMP thread to another: the runtime becomes one to one while a team runs. The signalled
// thread's native thread is taken by another one, which then waits for it by native means.
// test: flags -D_GNU_SOURCE -pthread
// test: gossamer-env GOSSAMER_CARRIERS=1
// test: teams 4 2 8
// test: reps 1
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include "check.h"

static void on_signal(int number) { (void)number; }

static void the_initial_thread(int width) {
    const pthread_t initial = pthread_self();
    sem_t through;
    int count = 0;
    sem_init(&through, 0, 0);
#pragma omp parallel num_threads(width)
    {
        const int me = omp_get_thread_num();
        if (me == width - 1) pthread_kill(initial, SIGUSR1);
#pragma omp barrier
        if (me == 0) {
            for (int other = 1; other < width; ++other) sem_post(&through);
        } else {
            while (sem_wait(&through) != 0) {}
        }
#pragma omp atomic
        count++;
    }
    EXPECT_EQ(count, width);
    sem_destroy(&through);
}

int main(void) {
    signal(SIGUSR1, on_signal);
    check("the-initial-thread", the_initial_thread);
    return check_done();
}
