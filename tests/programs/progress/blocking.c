// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads that wait for each other in the kernel: mutexes, condition variables, pthread barriers, pipes,
// semaphores.
// test: reps 3
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/resource.h>
#include <unistd.h>
#include "check.h"
#include "compute.h"

static void contended_mutex(int width) {
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    long count = 0;
#pragma omp parallel num_threads(width)
    for (int i = 0; i < 20; ++i) {
        pthread_mutex_lock(&mutex);
        count++;
        if (i % 5 == 0) usleep(10);
        pthread_mutex_unlock(&mutex);
    }
    EXPECT_EQ(count, 20 * width);
    pthread_mutex_destroy(&mutex);
}

// The mutex's holder waits in an OpenMP construct while its siblings block on the mutex.
static void mutex_held_over_a_region(int width) {
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    long count = 0;
#pragma omp parallel num_threads(width)
    {
        pthread_mutex_lock(&mutex);
#pragma omp parallel num_threads(2)
        {
#pragma omp barrier
        }
        count++;
        pthread_mutex_unlock(&mutex);
    }
    EXPECT_EQ(count, width);
    pthread_mutex_destroy(&mutex);
}

static void condition_variable(int width) {
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t moved = PTHREAD_COND_INITIALIZER;
    int turn = 0;
#pragma omp parallel num_threads(width)
    {
        int me = omp_get_thread_num();
        pthread_mutex_lock(&mutex);
        while (turn != width - 1 - me) pthread_cond_wait(&moved, &mutex);
        turn++;
        pthread_cond_broadcast(&moved);
        pthread_mutex_unlock(&mutex);
    }
    EXPECT_EQ(turn, width);
    pthread_mutex_destroy(&mutex);
    pthread_cond_destroy(&moved);
}

static void native_barrier(int width) {
    pthread_barrier_t barrier;
    int leaders = 0;
    pthread_barrier_init(&barrier, NULL, (unsigned)width);
#pragma omp parallel num_threads(width) reduction(+ : leaders)
    for (int i = 0; i < 3; ++i) leaders += pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD;
    EXPECT_EQ(leaders, 3);
    pthread_barrier_destroy(&barrier);
}

// Threads that compute, so that they look like spinning ones, and then wait in the kernel for those that have not begun.
static void computed_before_it_blocks(int width) {
    for (long microseconds = 500; microseconds <= 4000; microseconds += 500) {
        pthread_barrier_t barrier;
        int leaders = 0;
        pthread_barrier_init(&barrier, NULL, (unsigned)width);
#pragma omp parallel num_threads(width) reduction(+ : leaders)
        {
            compute_for(microseconds);
            leaders += pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD;
        }
        EXPECT_EQ(leaders, 1);
        pthread_barrier_destroy(&barrier);
    }
}

static void pipe_chain(int width) {
    int(*ends)[2] = (int(*)[2])calloc((size_t)width + 1, sizeof *ends);
    for (int i = 0; i <= width; ++i) EXPECT_EQ(pipe(ends[i]), 0);
    char token = 1, result = 0;
#pragma omp parallel num_threads(width)
    {
        int me = omp_get_thread_num();
        char mine = 0;
        if (me == width - 1) EXPECT_EQ(write(ends[width][1], &token, 1), 1);
        EXPECT_EQ(read(ends[me + 1][0], &mine, 1), 1);
        mine++;
        EXPECT_EQ(write(ends[me][1], &mine, 1), 1);
    }
    EXPECT_EQ(read(ends[0][0], &result, 1), 1);
    EXPECT_EQ(result, 1 + width);
    for (int i = 0; i <= width; ++i) {
        close(ends[i][0]);
        close(ends[i][1]);
    }
    free(ends);
}

static void semaphores(int width) {
    sem_t ready;
    int woken = 0;
    sem_init(&ready, 0, 0);
#pragma omp parallel num_threads(width)
    {
        if (omp_get_thread_num() == width - 1) sem_post(&ready);
        sem_wait(&ready);
#pragma omp atomic
        woken++;
        sem_post(&ready);
    }
    EXPECT_EQ(woken, width);
    sem_destroy(&ready);
}

// The process can open no file any more, so nothing can be read in /proc.
static void without_files(int width) {
    enum { least_files = 64 };
    struct rlimit before;
    getrlimit(RLIMIT_NOFILE, &before);
    const struct rlimit few = {least_files, before.rlim_max};
    EXPECT_EQ(setrlimit(RLIMIT_NOFILE, &few), 0);
    int files[least_files], count = 0;
    while (count < least_files && (files[count] = open("/dev/null", O_RDONLY)) >= 0) count++;
    pthread_barrier_t all;
    int met = 0;
    pthread_barrier_init(&all, NULL, (unsigned)width);
#pragma omp parallel num_threads(width)
    {
        pthread_barrier_wait(&all);
#pragma omp atomic
        met++;
    }
    EXPECT_EQ(met, width);
    pthread_barrier_destroy(&all);
    while (count > 0) close(files[--count]);
    setrlimit(RLIMIT_NOFILE, &before);
}

int main(void) {
    check("contended-mutex", contended_mutex);
    check("mutex-held-over-a-region", mutex_held_over_a_region);
    check("condition-variable", condition_variable);
    check("native-barrier", native_barrier);
    check("computed-before-it-blocks", computed_before_it_blocks);
    check("pipe-chain", pipe_chain);
    check("semaphores", semaphores);
    check("without-files", without_files);
    return check_done();
}
