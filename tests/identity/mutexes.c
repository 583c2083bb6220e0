// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Mutexes that know their owner (recursive, error-checking) and reader-writer locks, held while the holder
// suspends: the owner is the OpenMP thread, wherever it runs. No mutex is contended here; the tests in
// tests/programs/progress contend for them.
// test: teams 1 2 8 16 4x8 2x3x4
// test: flags -D_GNU_SOURCE -pthread
// These checks unlock a mutex that their thread does not hold, on purpose:
// test: races recursive error-checking not-the-owner
#include <errno.h>
#include <pthread.h>
#include "check.h"

static void with_type(int type, pthread_mutex_t* mutex) {
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, type);
    EXPECT_EQ(pthread_mutex_init(mutex, &attributes), 0);
    pthread_mutexattr_destroy(&attributes);
}

static void recursive(int width) {
#pragma omp parallel num_threads(width)
    {
        pthread_mutex_t mutex;
        with_type(PTHREAD_MUTEX_RECURSIVE, &mutex);
        EXPECT_EQ(pthread_mutex_lock(&mutex), 0);
#pragma omp barrier
        EXPECT_EQ(pthread_mutex_lock(&mutex), 0);
#pragma omp parallel num_threads(2)
        {
#pragma omp barrier
            if (omp_get_thread_num() == 1) EXPECT_EQ(pthread_mutex_trylock(&mutex), EBUSY);
        }
        EXPECT_EQ(pthread_mutex_unlock(&mutex), 0);
#pragma omp barrier
        EXPECT_EQ(pthread_mutex_unlock(&mutex), 0);
        EXPECT_EQ(pthread_mutex_unlock(&mutex), EPERM);
        pthread_mutex_destroy(&mutex);
    }
}

static void error_checking(int width) {
#pragma omp parallel num_threads(width)
    {
        pthread_mutex_t mutex;
        with_type(PTHREAD_MUTEX_ERRORCHECK, &mutex);
        EXPECT_EQ(pthread_mutex_lock(&mutex), 0);
#pragma omp barrier
        EXPECT_EQ(pthread_mutex_lock(&mutex), EDEADLK);
#pragma omp barrier
        EXPECT_EQ(pthread_mutex_unlock(&mutex), 0);
        EXPECT_EQ(pthread_mutex_unlock(&mutex), EPERM);
        pthread_mutex_destroy(&mutex);
    }
}

static void not_the_owner(int width) {
    pthread_mutex_t mutexes[64];
    for (int i = 0; i < width; ++i) with_type(PTHREAD_MUTEX_ERRORCHECK, &mutexes[i]);
#pragma omp parallel num_threads(width)
    {
        int me = omp_get_thread_num(), next = (me + 1) % width;
        EXPECT_EQ(pthread_mutex_lock(&mutexes[me]), 0);
#pragma omp barrier
        if (next != me) {
            EXPECT_EQ(pthread_mutex_unlock(&mutexes[next]), EPERM);
            EXPECT_EQ(pthread_mutex_trylock(&mutexes[next]), EBUSY);
        }
#pragma omp barrier
        EXPECT_EQ(pthread_mutex_unlock(&mutexes[me]), 0);
    }
    for (int i = 0; i < width; ++i) pthread_mutex_destroy(&mutexes[i]);
}

static void reader_writer(int width) {
    pthread_rwlock_t lock;
    EXPECT_EQ(pthread_rwlock_init(&lock, NULL), 0);
#pragma omp parallel num_threads(width)
    {
        EXPECT_EQ(pthread_rwlock_rdlock(&lock), 0);
#pragma omp barrier
        EXPECT_EQ(pthread_rwlock_unlock(&lock), 0);
#pragma omp barrier
#pragma omp master
        {
            EXPECT_EQ(pthread_rwlock_wrlock(&lock), 0);
            EXPECT_EQ(pthread_rwlock_rdlock(&lock), EDEADLK);
        }
#pragma omp barrier
        if (omp_get_thread_num() != 0) EXPECT_EQ(pthread_rwlock_tryrdlock(&lock), EBUSY);
#pragma omp barrier
#pragma omp master
        EXPECT_EQ(pthread_rwlock_unlock(&lock), 0);
    }
    pthread_rwlock_destroy(&lock);
}

int main(void) {
    check("recursive", recursive);
    check("error-checking", error_checking);
    check("not-the-owner", not_the_owner);
    check("reader-writer", reader_writer);
    return check_done();
}
