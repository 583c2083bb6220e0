// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Settings that the runtime reads at its start: lists for each level, limits, dynamic, and the resulting number
// of threads. The program prints the values, so that the runner compares runtimes line by line.
// test: env OMP_NUM_THREADS=3
// test: env OMP_NUM_THREADS=4,3,2 OMP_MAX_ACTIVE_LEVELS=8
// test: env OMP_NUM_THREADS=2,3,4,5 OMP_MAX_ACTIVE_LEVELS=3
// test: env OMP_NUM_THREADS=5,4 OMP_MAX_ACTIVE_LEVELS=1
// test: env OMP_NUM_THREADS=6 OMP_MAX_ACTIVE_LEVELS=0
// test: env OMP_NUM_THREADS=3,2 OMP_NESTED=true
// test: env OMP_NUM_THREADS=3,2 OMP_NESTED=false
// test: env OMP_NUM_THREADS=8 OMP_THREAD_LIMIT=3
// test: env OMP_NUM_THREADS=2 OMP_DYNAMIC=false
// test: env OMP_NUM_THREADS=2 OMP_SCHEDULE=guided,5
// test: env OMP_NUM_THREADS=2 OMP_SCHEDULE=static
// test: env OMP_NUM_THREADS=2 OMP_STACKSIZE=8M
// test: env OMP_NUM_THREADS=2 OMP_STACKSIZE=20000
// test: env OMP_NUM_THREADS=2 OMP_MAX_TASK_PRIORITY=7
// test: env OMP_NUM_THREADS=2 OMP_CANCELLATION=TRUE
// test: env OMP_NUM_THREADS=4,2 OMP_PROC_BIND=false OMP_MAX_ACTIVE_LEVELS=4
// test: env OMP_NUM_THREADS=2 OMP_WAIT_POLICY=active
// test: env OMP_NUM_THREADS=2 OMP_WAIT_POLICY=passive
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

static void report(int depth) {
    int threads[4] = {0}, maximum[4] = {0}, active[4] = {0};
#pragma omp parallel
    {
        if (omp_get_thread_num() == 0) {
            threads[0] = omp_get_num_threads();
            maximum[0] = omp_get_max_threads();
            active[0] = omp_get_active_level();
        }
#pragma omp barrier
        if (omp_get_thread_num() == 0) {
            printf("level %d: %d threads, %d active, next %d\n", depth, threads[0], active[0], maximum[0]);
            if (depth < 4) report(depth + 1);
        }
    }
}

// Where the thread limit is lower than the requested team, the runtime may choose any size up to the
// limit.
static int within_limit(void) {
    int count = 0, limit = omp_get_thread_limit();
#pragma omp parallel num_threads(64) reduction(+ : count)
    count = 1;
    return count >= 1 && count <= limit;
}

int main(void) {
    omp_sched_t kind;
    int chunk;
    omp_get_schedule(&kind, &chunk);
    printf("max threads %d\n", omp_get_max_threads());
    printf("dynamic %d, cancellation %d, priority %d\n", omp_get_dynamic(), omp_get_cancellation(),
           omp_get_max_task_priority());
    if (getenv("OMP_MAX_ACTIVE_LEVELS")) printf("active levels %d\n", omp_get_max_active_levels());
    if (getenv("OMP_SCHEDULE")) printf("schedule %d\n", kind & 0x7fffffff);
    if (getenv("OMP_THREAD_LIMIT"))
        printf("limit %d, %s\n", omp_get_thread_limit(), within_limit() ? "kept" : "exceeded");
    else if (getenv("OMP_MAX_ACTIVE_LEVELS") || getenv("OMP_NESTED"))
        report(1);
    return 0;
}
