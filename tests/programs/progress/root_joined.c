// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tasks start native threads that open regions, wait for what those regions do, and join them. Such a thread wakes the task
// that joins it, and must not run it itself. There are always new ones, so they stand where others stood before.
//
// test: teams 2 5 8 2x3
// test: reps 3
// test: env GOSSAMER_CARRIERS=2
// test: env GOSSAMER_CARRIERS=1
#include <pthread.h>
#include <unistd.h>

#include "check.h"

typedef struct {
    omp_event_handle_t event;
    int is_set, is_whole;
} Joined;

static void* fulfil(void* argument) {
    Joined* const joined = (Joined*)argument;
    int threads = 0;
#pragma omp parallel num_threads(4) reduction(+ : threads)
    {
        threads = 1;
#pragma omp masked
        {
            while (!__atomic_load_n(&joined->is_set, __ATOMIC_ACQUIRE)) usleep(1);
            omp_fulfill_event(joined->event);
        }
    }
    joined->is_whole = threads == 4;
    return 0;
}

static void start_and_join(int* passed) {
    Joined joined = {0};
    pthread_t thread;
    int executed = 0;
    if (pthread_create(&thread, 0, fulfil, &joined) != 0) return;
#pragma omp taskgroup
    {
        omp_event_handle_t event;
#pragma omp task detach(event) shared(executed)
        executed = 1;
        joined.event = event;
        __atomic_store_n(&joined.is_set, 1, __ATOMIC_RELEASE);
    }
    pthread_join(thread, 0);
    __atomic_add_fetch(passed, executed && joined.is_whole, __ATOMIC_RELAXED);
}

static void root_joined(int width) {
    enum { regions = 4, tasks = 10 };
    int passed = 0;
    for (int i = 0; i < regions; ++i) {
#pragma omp parallel num_threads(width)
#pragma omp masked
        for (int k = 0; k < tasks; ++k) {
#pragma omp task shared(passed)
            start_and_join(&passed);
        }
    }
    EXPECT_EQ(passed, regions * tasks);
}

int main(void) {
    omp_set_max_active_levels(8);
    check("root-joined", root_joined);
    return check_done();
}
