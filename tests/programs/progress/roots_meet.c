// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The threads of several roots meet, in ways that OpenMP knows nothing of. So no root may be kept from its region, or from what
// comes behind it, by a thread of another root that its own native thread runs meanwhile.
//
// CHECK_SEED   what is drawn, default 1
//
// libomp 19 fails an assertion of its own, or crashes, where initial threads come and go so fast:
// test: peer-none clang
// test: env OMP_PROC_BIND=false
// test: env OMP_PROC_BIND=close OMP_PLACES=cores
// test: reps 2
#include "meeting.h"

enum { most_roots = 3, most_width = 4 };

typedef struct {
    Meeting* meeting;
    int roots, width, passed;
    unsigned kind, seed;
} Job;

static void* serve(void* argument) {
    Job* job = (Job*)argument;
    unsigned mine = job->seed;
    int passed = 0;
    omp_set_max_active_levels(16);
    be_held_up(&mine);  // in regions of its own, among other things
#pragma omp parallel num_threads(job->width) reduction(+ : passed)
    {
        unsigned own = job->seed + 31u * (unsigned)omp_get_thread_num();
        draw(&own, 1);
        be_held_up(&own);
        meet(job->meeting, job->kind, job->roots * job->width);
        be_held_up(&own);
        passed++;
    }
    job->passed = passed;
    return NULL;
}

static void roots_meet(int width) {
    static unsigned calls;
    unsigned common = first_draw(__atomic_fetch_add(&calls, 1, __ATOMIC_RELAXED));
    if (width > most_width) width = most_width;
    for (int round = 0; round < 4; ++round) {
        const int roots = 2 + (int)draw(&common, most_roots - 1);
        const unsigned kind = draw(&common, kinds_for_all);
        Meeting meeting;
        pthread_t threads[most_roots];
        Job jobs[most_roots];
        open_meeting(&meeting, roots * width);
        for (int i = 0; i < roots; ++i) {
            jobs[i] = (Job){&meeting, roots, width, 0, kind, common + 977u * (unsigned)i};
            EXPECT_EQ(pthread_create(&threads[i], NULL, serve, &jobs[i]), 0);
        }
        for (int i = 0; i < roots; ++i) {
            pthread_join(threads[i], NULL);
            EXPECT_EQ(jobs[i].passed, width);
        }
        close_meeting(&meeting);
    }
}

int main(void) {
    check("roots-meet", roots_meet);
    return check_done();
}
