// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every pthread that opens a region is an initial thread of its own: several pthreads open regions at once,
// pthreads start and end, and a pthread made inside a region opens a region itself.
// test: reps 5
#include <pthread.h>
#include "check.h"

typedef struct {
    int width, bad;
} Job;

static void* open_regions(void* argument) {
    Job* job = (Job*)argument;
    for (int i = 0; i < 10; ++i) {
        int count = 0, width = job->width;
        job->bad += omp_get_level() != 0 || omp_get_thread_num() != 0;
#pragma omp parallel num_threads(width) reduction(+ : count)
        {
            count = omp_get_level() == 1 && omp_get_num_threads() == width;
#pragma omp barrier
        }
        job->bad += count != width;
    }
    return NULL;
}

static void several_at_once(int width) {
    pthread_t threads[6];
    Job jobs[6];
    for (int i = 0; i < 6; ++i) {
        jobs[i].width = 1 + (width + i) % 5;
        jobs[i].bad = 0;
        EXPECT_EQ(pthread_create(&threads[i], NULL, open_regions, &jobs[i]), 0);
    }
    for (int i = 0; i < 6; ++i) {
        pthread_join(threads[i], NULL);
        EXPECT_EQ(jobs[i].bad, 0);
    }
}

static void one_after_another(int width) {
    for (int i = 0; i < 5; ++i) {
        pthread_t thread;
        Job job = {width, 0};
        EXPECT_EQ(pthread_create(&thread, NULL, open_regions, &job), 0);
        pthread_join(thread, NULL);
        EXPECT_EQ(job.bad, 0);
    }
}

static void made_inside_a_region(int width) {
#pragma omp parallel num_threads(width)
    {
        pthread_t thread;
        Job job = {2, 0};
        EXPECT_EQ(pthread_create(&thread, NULL, open_regions, &job), 0);
        pthread_join(thread, NULL);
        EXPECT_EQ(job.bad, 0);
    }
}

int main(void) {
    check("several-at-once", several_at_once);
    check("one-after-another", one_after_another);
    check("made-inside-a-region", made_inside_a_region);
    return check_done();
}
