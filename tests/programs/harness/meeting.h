// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads that are held up at random, and ways for them to meet, most of which OpenMP knows nothing of.
#pragma once

#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include "check.h"
#include "compute.h"

static unsigned draw(unsigned* state, unsigned below) {
    *state = *state * 1664525u + 1013904223u;
    return (*state >> 16) % below;
}

static void be_held_up(unsigned* state) {
    unsigned microseconds = draw(state, 3000);
    int count = 0;
    switch (draw(state, 7)) {
        case 0: compute_for(microseconds); break;
        case 1: usleep(microseconds); break;
        case 2:
            for (int i = 0; i < 10; ++i) {
                compute_for(microseconds / 20);
                usleep(microseconds / 20);
            }
            break;
        case 3:
            for (int i = 0; i < 10; ++i) {
                compute_for(microseconds / 20);
#pragma omp taskyield
            }
            break;
        case 4:
#pragma omp parallel num_threads(3) reduction(+ : count)
        {
            compute_for(microseconds / 10);
#pragma omp barrier
            count++;
        }
            EXPECT_EQ(count, 3);
            break;
        case 5:
            for (int i = 0; i < 4; ++i) {
#pragma omp task shared(count)
                {
                    compute_for(microseconds / 10);
#pragma omp atomic
                    count++;
                }
            }
#pragma omp taskwait
            EXPECT_EQ(count, 4);
            break;
        default: break;
    }
}

typedef struct {
    pthread_barrier_t barrier;
    pthread_mutex_t mutex;
    pthread_cond_t complete;
    int ends[2];
    int came;
} Meeting;

static void open_meeting(Meeting* meeting, int width) {
    *meeting = (Meeting){.mutex = PTHREAD_MUTEX_INITIALIZER, .complete = PTHREAD_COND_INITIALIZER};
    pthread_barrier_init(&meeting->barrier, NULL, (unsigned)width);
    EXPECT_EQ(pipe(meeting->ends), 0);
}

static void close_meeting(Meeting* meeting) {
    close(meeting->ends[0]);
    close(meeting->ends[1]);
    pthread_barrier_destroy(&meeting->barrier);
}

// How a test's seed and the number of its call give what it draws.
static unsigned first_draw(unsigned call) {
    const char* seed = getenv("CHECK_SEED");
    return (seed ? (unsigned)atoi(seed) : 1) * 7919 + call;
}

enum { kinds_of_meeting = 9, kinds_for_all = 6 };  // the last three are for the threads of one team

// Each thread passes when all have come; `width` of them do.
static void meet(Meeting* meeting, unsigned kind, int width) {
    char token = 0;
    switch (kind) {
        case 0: pthread_barrier_wait(&meeting->barrier); break;
        case 1:
            pthread_mutex_lock(&meeting->mutex);
            if (++meeting->came == width) pthread_cond_broadcast(&meeting->complete);
            while (meeting->came < width) pthread_cond_wait(&meeting->complete, &meeting->mutex);
            pthread_mutex_unlock(&meeting->mutex);
            break;
        case 2:  // the last to come writes to all
            if (__atomic_add_fetch(&meeting->came, 1, __ATOMIC_ACQ_REL) == width)
                for (int i = 0; i < width; ++i) EXPECT_EQ(write(meeting->ends[1], &token, 1), 1);
            EXPECT_EQ(read(meeting->ends[0], &token, 1), 1);
            break;
        case 3:
            __atomic_add_fetch(&meeting->came, 1, __ATOMIC_ACQ_REL);
            while (__atomic_load_n(&meeting->came, __ATOMIC_ACQUIRE) < width);
            break;
        case 4:
            __atomic_add_fetch(&meeting->came, 1, __ATOMIC_ACQ_REL);
            while (__atomic_load_n(&meeting->came, __ATOMIC_ACQUIRE) < width) sched_yield();
            break;
        case 5:
            __atomic_add_fetch(&meeting->came, 1, __ATOMIC_ACQ_REL);
            while (__atomic_load_n(&meeting->came, __ATOMIC_ACQUIRE) < width) usleep(100);
            break;
        case 6:
            __atomic_add_fetch(&meeting->came, 1, __ATOMIC_ACQ_REL);
            while (__atomic_load_n(&meeting->came, __ATOMIC_ACQUIRE) < width) {
#pragma omp taskyield
            }
            break;
        case 7:
            __atomic_add_fetch(&meeting->came, 1, __ATOMIC_ACQ_REL);
            for (int all = 0; !all;) {
#pragma omp critical(mixed_meeting)
                all = __atomic_load_n(&meeting->came, __ATOMIC_ACQUIRE) == width;
            }
            break;
        default: {
#pragma omp barrier
        }
    }
}
