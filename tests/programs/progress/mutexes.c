// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// pthread mutexes and condition variables between OpenMP threads, held across every construct in which a thread may wait.
// test: teams 1 2 3 8 5x6
// test: reps 3
// test: flags -D_GNU_SOURCE
#include <pthread.h>
#include "check.h"

// The threads pass a turn round, with one mutex and one condition variable.
static void condition_ring(int width) {
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t moved = PTHREAD_COND_INITIALIZER;
    int turn = 0, rounds = check_rounds(5, 100);
#pragma omp parallel num_threads(width)
    for (int round = 0; round < rounds; ++round) {
        pthread_mutex_lock(&mutex);
        while (turn != round * width + omp_get_thread_num()) pthread_cond_wait(&moved, &mutex);
        turn++;
        pthread_cond_broadcast(&moved);
        pthread_mutex_unlock(&mutex);
    }
    EXPECT_EQ(turn, rounds * width);
    pthread_mutex_destroy(&mutex);
    pthread_cond_destroy(&moved);
}

static void native_barrier_rounds(int width) {
    pthread_barrier_t barrier;
    int leaders = 0, rounds = check_rounds(10, 200);
    pthread_barrier_init(&barrier, NULL, (unsigned)width);
#pragma omp parallel num_threads(width) reduction(+ : leaders)
    for (int i = 0; i < rounds; ++i) leaders += pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD;
    EXPECT_EQ(leaders, rounds);
    pthread_barrier_destroy(&barrier);
}

// A contended mutex is locked several times by its owner, over a scheduling point.
static void recursive_contended(int width) {
    pthread_mutexattr_t attributes;
    pthread_mutex_t mutex;
    int rounds = check_rounds(5, 100), count = 0;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&mutex, &attributes);
#pragma omp parallel num_threads(width)
    for (int round = 0; round < rounds; ++round) {
        for (int depth = 0; depth < 3; ++depth) EXPECT_EQ(pthread_mutex_lock(&mutex), 0);
#pragma omp taskyield
        count++;
        for (int depth = 0; depth < 3; ++depth) EXPECT_EQ(pthread_mutex_unlock(&mutex), 0);
    }
    EXPECT_EQ(count, rounds * width);
    pthread_mutex_destroy(&mutex);
    pthread_mutexattr_destroy(&attributes);
}

static void mutex_held_over_nested_regions(int width) {
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    int rounds = check_rounds(2, 20), count = 0;
#pragma omp parallel num_threads(width)
    for (int round = 0; round < rounds; ++round) {
        pthread_mutex_lock(&mutex);
#pragma omp parallel num_threads(3)
        {
#pragma omp barrier
        }
        count++;
        pthread_mutex_unlock(&mutex);
    }
    EXPECT_EQ(count, rounds * width);
    pthread_mutex_destroy(&mutex);
}

// Siblings could execute the tasks, but wait for the mutex first.
static void mutex_held_over_taskwait(int width) {
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    int rounds = check_rounds(2, 20), count = 0;
#pragma omp parallel num_threads(width)
    for (int round = 0; round < rounds; ++round) {
        int done = 0;
        pthread_mutex_lock(&mutex);
        for (int i = 0; i < 4; ++i) {
#pragma omp task shared(done)
            __atomic_add_fetch(&done, 1, __ATOMIC_RELAXED);
        }
#pragma omp taskwait
        EXPECT_EQ(__atomic_load_n(&done, __ATOMIC_RELAXED), 4);
        count++;
        pthread_mutex_unlock(&mutex);
    }
    EXPECT_EQ(count, rounds * width);
    pthread_mutex_destroy(&mutex);
}

static void polled_omp_lock(int width) {
    omp_lock_t lock;
    int rounds = check_rounds(5, 100), count = 0;
    omp_init_lock(&lock);
#pragma omp parallel num_threads(width)
    for (int round = 0; round < rounds; ++round) {
        while (!omp_test_lock(&lock)) {}
        count++;
        omp_unset_lock(&lock);
    }
    EXPECT_EQ(count, rounds * width);
    omp_destroy_lock(&lock);
}

// The holder waits at a barrier of an inner team, so a polling thread must let the holder run.
static void polled_omp_nest_lock(int width) {
    omp_nest_lock_t lock;
    int count = 0;
    omp_init_nest_lock(&lock);
#pragma omp parallel num_threads(width)
    {
        while (!omp_test_nest_lock(&lock)) {}
#pragma omp parallel num_threads(2)
        {
#pragma omp barrier
        }
        count++;
        omp_unset_nest_lock(&lock);
    }
    EXPECT_EQ(count, width);
    omp_destroy_nest_lock(&lock);
}

int main(void) {
    check("condition-ring", condition_ring);
    check("native-barrier-rounds", native_barrier_rounds);
    check("recursive-contended", recursive_contended);
    check("mutex-held-over-nested-regions", mutex_held_over_nested_regions);
    check("mutex-held-over-taskwait", mutex_held_over_taskwait);
    check("polled-omp-lock", polled_omp_lock);
    check("polled-omp-nest-lock", polled_omp_nest_lock);
    return check_done();
}
