// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The threads of one root meet outside OpenMP, beside another root that opens one region after the other: however much of its
// own that one gets done, the first one's threads come to run.
//
// test: teams 2 6 2x3
// test: reps 3
// test: env OMP_PROC_BIND=false
// test: env OMP_PROC_BIND=close OMP_PLACES=cores
// test: env OMP_PROC_BIND=spread OMP_PLACES=cores
#include <pthread.h>
#include <unistd.h>

#include "check.h"
#include "compute.h"

typedef struct {
    int stops, regions, threads;
} Beside;

static void* open_regions(void* argument) {
    Beside* const beside = (Beside*)argument;
    while (!__atomic_load_n(&beside->stops, __ATOMIC_RELAXED)) {
        int threads = 0;
#pragma omp parallel num_threads(3) reduction(+ : threads)
        {
            compute_for(10);
#pragma omp barrier
            threads = 1;
        }
        beside->threads += threads;
        ++beside->regions;
        usleep(100);
    }
    return 0;
}

static void root_beside(int width) {
    enum { rounds = 10 };
    Beside beside = {0};
    pthread_t thread;
    pthread_barrier_t all;
    int met = 0;
    if (pthread_create(&thread, 0, open_regions, &beside) != 0) return;
    pthread_barrier_init(&all, 0, (unsigned)width);
    for (int i = 0; i < rounds; ++i) {
#pragma omp parallel num_threads(width) reduction(+ : met)
        {
#pragma omp barrier
            pthread_barrier_wait(&all);
            met += 1;
        }
    }
    pthread_barrier_destroy(&all);
    __atomic_store_n(&beside.stops, 1, __ATOMIC_RELAXED);
    pthread_join(thread, 0);
    EXPECT_EQ(met, rounds * width);
    EXPECT_EQ(beside.threads, 3 * beside.regions);
}

int main(void) {
    check("root-beside", root_beside);
    return check_done();
}
