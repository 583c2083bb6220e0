// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads that wait for each other in ways that the runtime does not see: spinning on flags with and without
// a hint, hand-written barriers, flags behind flush, polled locks. Each thread must progress as a kernel
// thread would.
//
// A kernel thread needs a time slice for each turn:
// test: peer-teams gcc 1 2 3
// test: peer-teams clang 1 2 3
// test: reps 2
// ThreadSanitizer does not know fences:
// test: races flush-flag
#include <sched.h>
#include <time.h>
#include <unistd.h>
#include "check.h"

static void turn_by_turn(int width) {
    int turn = 0;
#pragma omp parallel num_threads(width)
    for (int round = 0; round < 2; ++round) {
        int me = omp_get_thread_num();
        while (__atomic_load_n(&turn, __ATOMIC_ACQUIRE) != round * width + me) {}
        __atomic_store_n(&turn, round * width + me + 1, __ATOMIC_RELEASE);
    }
    EXPECT_EQ(turn, 2 * width);
}

static void last_lets_go(int width) {
    int go = 0, gone = 0;
#pragma omp parallel num_threads(width)
    {
        if (omp_get_thread_num() == width - 1) __atomic_store_n(&go, 1, __ATOMIC_RELEASE);
        while (!__atomic_load_n(&go, __ATOMIC_ACQUIRE)) {}
#pragma omp atomic
        gone++;
    }
    EXPECT_EQ(gone, width);
}

static void own_barrier(int width) {
    int arrived = 0, generation = 0, crossed = 0;
#pragma omp parallel num_threads(width)
    for (int round = 0; round < 3; ++round) {
        int mine = __atomic_load_n(&generation, __ATOMIC_ACQUIRE);
        if (__atomic_add_fetch(&arrived, 1, __ATOMIC_ACQ_REL) == width) {
            __atomic_store_n(&arrived, 0, __ATOMIC_RELAXED);
            __atomic_store_n(&generation, mine + 1, __ATOMIC_RELEASE);
        } else {
            while (__atomic_load_n(&generation, __ATOMIC_ACQUIRE) == mine) {}
        }
#pragma omp atomic
        crossed++;
    }
    EXPECT_EQ(crossed, 3 * width);
}

static void flush_flag(int width) {
    int flag = 0, data = 0;
#pragma omp parallel num_threads(width)
    {
        if (omp_get_thread_num() == width - 1) {
            data = 42;
#pragma omp flush
#pragma omp atomic write
            flag = 1;
#pragma omp flush
        } else {
            for (int seen = 0; !seen;) {
#pragma omp flush
#pragma omp atomic read
                seen = flag;
            }
#pragma omp flush
            EXPECT_EQ(data, 42);
        }
    }
}

static void yielding(int width) {
    int turn = 0;
#pragma omp parallel num_threads(width)
    {
        int me = omp_get_thread_num();
        while (__atomic_load_n(&turn, __ATOMIC_ACQUIRE) != width - 1 - me) sched_yield();
        __atomic_store_n(&turn, width - me, __ATOMIC_RELEASE);
    }
    EXPECT_EQ(turn, width);
}

static void polled_lock(int width) {
    omp_lock_t lock;
    int free_after = 0, count = 0;
    omp_init_lock(&lock);
    omp_set_lock(&lock);
#pragma omp parallel num_threads(width)
    {
        if (omp_get_thread_num() == 0) {
            while (!__atomic_load_n(&free_after, __ATOMIC_ACQUIRE) && width > 1) {}
            omp_unset_lock(&lock);
        } else {
            __atomic_store_n(&free_after, 1, __ATOMIC_RELEASE);
        }
        while (!omp_test_lock(&lock)) {}
        count++;
        omp_unset_lock(&lock);
    }
    EXPECT_EQ(count, width);
    omp_destroy_lock(&lock);
}

static void sleeping(int width) {
    int turn = 0;
#pragma omp parallel num_threads(width)
    {
        int me = omp_get_thread_num();
        struct timespec nap = {0, 200000};
        while (__atomic_load_n(&turn, __ATOMIC_ACQUIRE) != width - 1 - me) nanosleep(&nap, NULL);
        __atomic_store_n(&turn, width - me, __ATOMIC_RELEASE);
    }
    EXPECT_EQ(turn, width);
}

// Half of the team spins until the other half has passed barriers of inner teams.
static void beside_suspended_siblings(int width) {
    int done = 0;
#pragma omp parallel num_threads(width)
    {
        if (omp_get_thread_num() % 2 == 1) {
#pragma omp parallel num_threads(3)
            {
#pragma omp barrier
            }
            __atomic_add_fetch(&done, 1, __ATOMIC_RELEASE);
        } else {
            while (__atomic_load_n(&done, __ATOMIC_ACQUIRE) != width / 2) {}
        }
    }
    EXPECT_EQ(done, width / 2);
}

int main(void) {
    check("turn-by-turn", turn_by_turn);
    check("last-lets-go", last_lets_go);
    check("own-barrier", own_barrier);
    check("flush-flag", flush_flag);
    check("yielding", yielding);
    check("polled-lock", polled_lock);
    check("sleeping", sleeping);
    check("beside-suspended-siblings", beside_suspended_siblings);
    return check_done();
}
