// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// While other initial threads open regions of their own, the threads of one team keep their threadprivate variables and
// pthread_self from region to region. They wait at barriers, for a flag without a call of the runtime, and for teams of
// their own.
// test: reps 5
#include <pthread.h>
#include "check.h"

static int stop;

static void* open_regions(void* argument) {
    int* bad = (int*)argument;
    while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
        int count = 0;
#pragma omp parallel num_threads(2) reduction(+ : count)
        {
            for (volatile int i = 0; i < 2000; ++i) {}
            count = 1;
        }
        *bad += count != 2;
    }
    return NULL;
}

static int rounds_seen;
static pthread_t seen_as;
#pragma omp threadprivate(rounds_seen, seen_as)

static void keep(int width, int rounds, int waits) {
    const int kept = omp_get_level() == 0;
    int flag = -1;
    omp_set_dynamic(0);
#pragma omp parallel num_threads(width)
    {
        rounds_seen = 0;
        seen_as = pthread_self();
    }
    for (int round = 0; round < rounds; ++round) {
        int count = 0;
#pragma omp parallel num_threads(width) reduction(+ : count)
        {
            const int num = omp_get_thread_num();
            if (kept) {
                EXPECT_EQ(rounds_seen, round);
                EXPECT(pthread_equal(seen_as, pthread_self()));
            }
            const int before = rounds_seen;
            const pthread_t me = pthread_self();
            if (waits & 1) {
#pragma omp barrier
                EXPECT_EQ(rounds_seen, before);
            }
            if ((waits & 2) && round % 8 == 0) {
                if (num == width - 1) __atomic_store_n(&flag, round, __ATOMIC_RELEASE);
                while (__atomic_load_n(&flag, __ATOMIC_ACQUIRE) != round) {}
            }
            if (waits & 4) {
                int inner = 0;
#pragma omp parallel num_threads(3) reduction(+ : inner)
                {
#pragma omp barrier
                    inner = 1;
                }
                EXPECT_EQ(inner, 3);
            }
            EXPECT_EQ(rounds_seen, before);
            EXPECT(pthread_equal(me, pthread_self()));
            rounds_seen = before + 1;
            count = 1;
        }
        EXPECT_EQ(count, width);
    }
}

static void beside_others(int width, int others, int waits) {
    pthread_t threads[3];
    int bad[3] = {0};
    // Concurrent callers, in outer teams, must not stop each other's threads.
    if (omp_get_level() != 0) others = 0;
    __atomic_store_n(&stop, 0, __ATOMIC_RELAXED);
    for (int i = 0; i < others; ++i) EXPECT_EQ(pthread_create(&threads[i], NULL, open_regions, &bad[i]), 0);
    keep(width, 40, waits);
    __atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
    for (int i = 0; i < others; ++i) {
        pthread_join(threads[i], NULL);
        EXPECT_EQ(bad[i], 0);
    }
    keep(width, 5, waits);
}

static void beside_one(int width) { beside_others(width, 1, 0); }
static void beside_three(int width) { beside_others(width, 3, 0); }
static void with_barriers(int width) { beside_others(width, 1, 1); }
static void with_flags(int width) { beside_others(width, 2, 2); }
static void with_inner_teams(int width) { beside_others(width, 1, 4); }

int main(void) {
    check("beside-one", beside_one);
    check("beside-three", beside_three);
    check("with-barriers", with_barriers);
    check("with-flags", with_flags);
    check("with-inner-teams", with_inner_teams);
    return check_done();
}
