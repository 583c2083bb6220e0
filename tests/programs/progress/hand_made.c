// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Synchronisation as libraries and textbooks write it, for many rounds and without a hint to the runtime or the kernel:
// barriers that reverse their sense, ping-pong, wavefronts, the pipeline of NAS LU, threads that work beside a sleeping one.
//
// A kernel thread needs a time slice for each turn:
// test: teams 1 2 3 8 5x6
// test: peer-teams gcc 1 2
// test: peer-teams clang 1 2
// test: reps 1
// The checks use a volatile variable on purpose, and fences, which ThreadSanitizer does not know:
// test: races ping-pong pipeline
#include <unistd.h>
#include "check.h"

// The barrier of most textbooks: each thread has a sense of its own; the last thread to arrive sets the shared sense to it.
static void sense_reversing_barrier(int width) {
    int arrived = 0, sense = 0, rounds = check_rounds(20, 1000), bad = 0;
    int* at = (int*)calloc((size_t)width, sizeof *at);
#pragma omp parallel num_threads(width) reduction(+ : bad)
    {
        int me = omp_get_thread_num(), mine = 0;
        for (int round = 0; round < rounds; ++round) {
            __atomic_store_n(&at[me], round + 1, __ATOMIC_RELAXED);
            mine = !mine;
            if (__atomic_add_fetch(&arrived, 1, __ATOMIC_ACQ_REL) == width) {
                __atomic_store_n(&arrived, 0, __ATOMIC_RELAXED);
                __atomic_store_n(&sense, mine, __ATOMIC_RELEASE);
            } else {
                while (__atomic_load_n(&sense, __ATOMIC_ACQUIRE) != mine) {}
            }
            bad += __atomic_load_n(&at[(me + 1) % width], __ATOMIC_RELAXED) < round + 1;
        }
    }
    EXPECT_EQ(bad, 0);
    free(at);
}

// Threads 2i and 2i + 1 pass a ball to and fro.
static void ping_pong(int width) {
    int rounds = check_rounds(20, 200), pairs = width / 2;
    volatile int* balls = (volatile int*)calloc((size_t)pairs + 1, sizeof *balls);
#pragma omp parallel num_threads(width)
    {
        int me = omp_get_thread_num(), side = me % 2;
        if (me / 2 < pairs)
            for (int round = 0; round < rounds; ++round) {
                while (balls[me / 2] != 2 * round + side) {}
                balls[me / 2] = 2 * round + side + 1;
            }
    }
    for (int i = 0; i < pairs; ++i) EXPECT_EQ(balls[i], 2 * rounds);
    free((void*)balls);
}

// Each thread may do a row once its neighbour has done that row. `down`: thread 0 is first.
static void wavefront(int width, int down) {
    int rows = check_rounds(10, 50);
    int* done = (int*)calloc((size_t)width, sizeof *done);
    long* sums = (long*)calloc((size_t)width * (size_t)rows, sizeof *sums);
#pragma omp parallel num_threads(width)
    {
        int me = omp_get_thread_num(), before = down ? me - 1 : me + 1;
        for (int row = 0; row < rows; ++row) {
            long left = 0;
            if (before >= 0 && before < width) {
                while (__atomic_load_n(&done[before], __ATOMIC_ACQUIRE) <= row) {}
                left = sums[before * rows + row];
            }
            sums[me * rows + row] = left + row + 1;
            __atomic_store_n(&done[me], row + 1, __ATOMIC_RELEASE);
        }
    }
    for (int row = 0; row < rows; ++row) EXPECT_EQ(sums[(down ? width - 1 : 0) * rows + row], (long)width * (row + 1));
    free(done);
    free(sums);
}

static void wavefront_down(int width) { wavefront(width, 1); }

static void wavefront_up(int width) { wavefront(width, 0); }

// As in LU of the NAS benchmarks: each thread sets its flag when it has done its plane, and the next thread resets it.
static void pipeline(int width) {
    int planes = check_rounds(6, 60);
    int* flags = (int*)calloc((size_t)width, sizeof *flags);
    int* counts = (int*)calloc((size_t)width, sizeof *counts);
    int bad = 0;
#pragma omp parallel num_threads(width) reduction(+ : bad)
    {
        int me = omp_get_thread_num(), value;
        for (int plane = 0; plane < planes; ++plane) {
            if (me > 0) {
                do {
#pragma omp flush
#pragma omp atomic read
                    value = flags[me - 1];
                } while (value == 0);
                bad += counts[me - 1] < plane + 1;
#pragma omp atomic write
                flags[me - 1] = 0;
#pragma omp flush
            }
            counts[me] = plane + 1;
            if (me < width - 1) {
                do {
#pragma omp flush
#pragma omp atomic read
                    value = flags[me];
                } while (value == 1);
#pragma omp flush
#pragma omp atomic write
                flags[me] = 1;
#pragma omp flush
            }
        }
    }
    EXPECT_EQ(bad, 0);
    free(flags);
    free(counts);
}

static unsigned long work(unsigned long seed, long steps) {
    for (long i = 0; i < steps; ++i) seed = seed * 6364136223846793005ul + 1442695040888963407ul;
    return seed;
}

// The last thread sleeps while all others compute. No thread waits for it before the join.
static void one_sleeps(int width) {
    unsigned long total = 0;
    int naps = 0;
#pragma omp parallel num_threads(width) reduction(+ : total, naps)
    if (omp_get_thread_num() == width - 1) {
        usleep((useconds_t)check_rounds(20000, 1000000));
        naps++;
    } else {
        total += work(1, check_rounds(200000, 20000000)) != 0;
    }
    EXPECT_EQ(total, (unsigned long)width - 1);
    EXPECT_EQ(naps, 1);
}

static void all_sleep(int width) {
    int naps = 0;
#pragma omp parallel num_threads(width) reduction(+ : naps)
    {
        usleep((useconds_t)check_rounds(20000, 200000));
        naps++;
    }
    EXPECT_EQ(naps, width);
}

int main(void) {
    check("sense-reversing-barrier", sense_reversing_barrier);
    check("ping-pong", ping_pong);
    check("wavefront-down", wavefront_down);
    check("wavefront-up", wavefront_up);
    check("pipeline", pipeline);
    check("one-sleeps", one_sleeps);
    check("all-sleep", all_sleep);
    return check_done();
}
