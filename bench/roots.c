// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Several native threads, each of which runs small parallel regions one after another, as Python's thread pools do with a
// library that uses OpenMP. Reports how many regions a second these roots finish together. With `gate`, the program lets only
// that many roots in at a time, which shows what a runtime could gain that limits their number
// (docs/decisions/0005-roots-and-time-slices.md). With `meet` the roots wait for one another after each region, spinning or
// asleep, as ranks do that are threads of one process; with `more` the last root's regions are longer
// (docs/decisions/0016-roots-between-their-regions.md).
#include "measure.h"

#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>

static int roots, width, failed;
static double seconds, end;
static int gated;
static sem_t gate;
static double turn;  // s

static enum { apart, by_spinning, asleep } meeting;
static pthread_barrier_t together;
static atomic_int arrived, meetings;
static atomic_int over;  // set by the last root to arrive, so that all roots leave after the same region

struct Served {
    long regions;
    long cycles;   // of each thread
    char gap[48];  // puts the next root's struct on another line
};

static void meet(void) {
    if (meeting == asleep && pthread_barrier_wait(&together) == PTHREAD_BARRIER_SERIAL_THREAD)
        atomic_store(&over, now_s() >= end);
    if (meeting == asleep) pthread_barrier_wait(&together);
    if (meeting != by_spinning) return;
    const int meeting_now = atomic_load(&meetings);
    if (atomic_fetch_add(&arrived, 1) + 1 == roots) {
        atomic_store(&arrived, 0);
        atomic_store(&over, now_s() >= end);
        atomic_fetch_add(&meetings, 1);
        return;
    }
    while (atomic_load(&meetings) == meeting_now) sched_yield();
}

static void* serve(void* argument) {
    struct Served* const mine = argument;
    // One region before the clock starts, since the cost of starting threads is not measured.
#pragma omp parallel num_threads(width)
    compute(mine->cycles);
    if (pthread_barrier_wait(&together) == PTHREAD_BARRIER_SERIAL_THREAD) end = now_s() + seconds;
    pthread_barrier_wait(&together);
    double since = 0;
    int inside = 0;  // whether this root keeps its place inside the gate
    while (meeting == apart ? now_s() < end : !atomic_load(&over)) {
        int seen = 0;
        if (gated && !inside) {
            sem_wait(&gate);
            since = now_s();
        }
#pragma omp parallel num_threads(width) reduction(+ : seen)
        {
            compute(mine->cycles);
            seen++;
        }
        inside = gated && now_s() - since < turn;
        if (gated && !inside) sem_post(&gate);
        if (seen != width) __atomic_store_n(&failed, 1, __ATOMIC_RELAXED);
        ++mine->regions;
        meet();
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
        {"meet", 0, "1: after each region they wait for one another by spinning; 2: asleep"},
        {"more", 0, "per cent of work that the last one's threads have more"},
    };
    const struct Budget budget = read_options(argc, argv, options, 7);
    roots = (int)options[0].value;
    width = (int)options[1].value;
    const double cycles = options[2].value;
    gated = (int)options[3].value;
    turn = options[4].value * 1e-6;
    meeting = options[5].value == 1 ? by_spinning : options[5].value == 2 ? asleep : apart;
    sem_init(&gate, 0, (unsigned)gated);
    seconds = budget.measure_s;
    pthread_t threads[64];
    struct Served served[64] = {{0}};
    long total = 0;
    if (roots < 1 || roots > 64 || pthread_barrier_init(&together, NULL, (unsigned)roots) != 0)
        wrong("cannot start %d native threads", roots);
    for (int i = 0; i < roots; ++i) {
        served[i].cycles = (long)(cycles * (i == roots - 1 ? 1 + options[6].value / 100 : 1));
        if (pthread_create(&threads[i], NULL, serve, &served[i]) != 0) wrong("cannot start %d native threads", roots);
    }
    for (int i = 0; i < roots; ++i) {
        pthread_join(threads[i], NULL);
        total += served[i].regions;
    }
    if (failed) wrong("a region had a wrong number of threads");
    json_open("roots");
    json_number("roots", roots);
    json_number("regions_per_second", (double)total / seconds);
    json_close();
    return 0;
}
