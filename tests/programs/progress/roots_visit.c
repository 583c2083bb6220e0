// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two roots, whose threads have inner teams that meet in the middle of a doacross loop. Before and behind that each starts a
// native thread that opens a region, and joins it. Such a visitor stands where another carrier has left work, and must not run
// that.
//
// test: teams 3
// test: reps 3
// libgomp's doacross spins, for minutes with so many threads:
// test: peer-none gcc
#include <pthread.h>
#include <unistd.h>

#include "check.h"
#include "compute.h"

enum { inner = 3, iterations = 6, meets_at = 1, most_outer = 5 };

typedef struct {
    int outer, visits;
    pthread_barrier_t* all;
} Root;

static void* visitor(void* width) {
#pragma omp parallel num_threads(*(int*)width)
    {
        usleep(50);
#pragma omp barrier
#pragma omp task
        compute_for(20);
    }
    return 0;
}

static int visit(int width) {
    pthread_t thread;
    if (pthread_create(&thread, 0, visitor, &width) != 0) return 0;
    return pthread_join(thread, 0) == 0;
}

static void* serve(void* argument) {
    Root* const root = (Root*)argument;
    int visits = 0;
    omp_set_max_active_levels(4);
#pragma omp parallel num_threads(root->outer) reduction(+ : visits)
    {
        const int width = 2 + omp_get_thread_num() % 3;
        int mine = 0;
#pragma omp parallel for num_threads(inner) ordered(1) schedule(static, 1) reduction(+ : mine)
        for (int i = 0; i < iterations; ++i) {
#pragma omp ordered depend(sink : i - 1)
            if (i == meets_at) {
                mine += visit(width);
                pthread_barrier_wait(root->all);
                mine += visit(width);
            }
#pragma omp ordered depend(source)
        }
        visits += mine;
    }
    root->visits = visits;
    return 0;
}

static void roots_visit(int rounds) {
    for (int i = 0; i < most_outer * rounds; ++i) {
        pthread_barrier_t all;
        Root here = {.outer = 1 + i % most_outer, .all = &all}, there = {.outer = 1 + i / most_outer % most_outer, .all = &all};
        pthread_t thread;
        pthread_barrier_init(&all, 0, (unsigned)(here.outer + there.outer));
        if (pthread_create(&thread, 0, serve, &there) != 0) return;
        serve(&here);
        pthread_join(thread, 0);
        EXPECT_EQ(here.visits, 2 * here.outer);
        EXPECT_EQ(there.visits, 2 * there.outer);
        pthread_barrier_destroy(&all);
    }
}

int main(void) {
    check("roots-visit", roots_visit);
    return check_done();
}
