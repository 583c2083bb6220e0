// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Several native threads, each of which runs small parallel regions one after another: what Python's thread pools do
// with a library that uses OpenMP. Reports how many regions a second they finish together. With `gate`, the program lets no more
// of them in at a time: what a runtime could win that holds their number so (docs/decisions/0005-roots-and-time-slices.md).
#include "measure.h"

#include <omp.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

static int width, failed;
static long cycles;
static double seconds;
static pthread_barrier_t together;
static int gated;
static sem_t gate;
static double turn;  // s

static void* serve(void* count) {
    // One region before the clock starts: what threads cost to make is not the question.
#pragma omp parallel num_threads(width)
    compute(cycles);
    pthread_barrier_wait(&together);
    const double end = now_s() + seconds;
    double since = 0;
    int inside = 0;  // and keeps its turn
    while (now_s() < end) {
        int seen = 0;
        if (gated && !inside) {
            sem_wait(&gate);
            since = now_s();
        }
#pragma omp parallel num_threads(width) reduction(+ : seen)
        {
            compute(cycles);
            seen++;
        }
        inside = gated && now_s() - since < turn;
        if (gated && !inside) sem_post(&gate);
        if (seen != width) __atomic_store_n(&failed, 1, __ATOMIC_RELAXED);
        ++*(long*)count;
    }
    if (inside) sem_post(&gate);
    return NULL;
}

int main(int argc, char** argv) {
    struct Option options[] = {
        {"roots", 2, "native threads that open regions"},
        {"threads", 2, "threads of each region"},
        {"cycles", 250000, "core cycles of work of each thread"},
        {"gate", 0, "roots inside a region at a time; 0: as many as come"},
        {"turn", 0, "microseconds that one keeps its place among them; 0: a region"},
    };
    const struct Budget budget = read_options(argc, argv, options, 5);
    int roots = (int)options[0].value;
    width = (int)options[1].value;
    cycles = (long)options[2].value;
    gated = (int)options[3].value;
    turn = options[4].value * 1e-6;
    sem_init(&gate, 0, (unsigned)gated);
    seconds = budget.measure_s;
    pthread_t threads[64];
    long counts[64][16] = {{0}}, total = 0;
    if (roots < 1 || roots > 64 || pthread_barrier_init(&together, NULL, (unsigned)roots) != 0)
        wrong("cannot start %d native threads", roots);
    for (int i = 0; i < roots; ++i)
        if (pthread_create(&threads[i], NULL, serve, counts[i]) != 0) wrong("cannot start %d native threads", roots);
    for (int i = 0; i < roots; ++i) {
        pthread_join(threads[i], NULL);
        total += counts[i][0];
    }
    if (failed) wrong("a region had a wrong number of threads");
    json_open("roots");
    json_number("roots", roots);
    json_number("regions_per_second", (double)total / seconds);
    json_close();
    return 0;
}
