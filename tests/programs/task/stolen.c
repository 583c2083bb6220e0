// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Idle threads take tasks that other threads generated: a generating thread waits for its task without a
// scheduling point, or tasks, one for each thread of the team, wait for each other by flags. The specification
// does not promise this, but every runtime whose tasks are more than calls does it.
//
// libomp 19 does not wake a thread that sleeps at the barrier when there is a task:
// test: peer-none clang
// test: reps 3
// With sixteen carriers a team of twelve has one for each thread, and comes to think its tasks too small to steal, if no other
// team comes first.
// test: teams 12 1 2 3 8 4x8 2x3x4
// test: env
// test: env GOSSAMER_CARRIERS=16
// test: env OMP_PROC_BIND=close
// test: env OMP_PROC_BIND=spread,close OMP_PLACES=threads
#include <sched.h>
#include <unistd.h>
#include "check.h"

static int get(int* flag) { return __atomic_load_n(flag, __ATOMIC_ACQUIRE); }

static void raise_by_one(int* flag) { __atomic_add_fetch(flag, 1, __ATOMIC_ACQ_REL); }

static void await(int* flag, int value) {
    while (get(flag) < value) sched_yield();
}

static void from_a_busy_producer(int width) {
    int begun = 0;
    if (width < 2) return;
#pragma omp parallel num_threads(width)
    {
#pragma omp single
        for (int i = 1; i <= 5; ++i) {
            int me = omp_get_thread_num();
#pragma omp task firstprivate(me) shared(begun)
            {
                EXPECT(omp_get_thread_num() != me);
                raise_by_one(&begun);
            }
            await(&begun, i);
        }
    }
}

static void one_for_each_thread(int width) {
    int begun = 0, taken[64] = {0};
#pragma omp parallel num_threads(width)
    {
#pragma omp single
        for (int i = 0; i < width; ++i) {
#pragma omp task shared(begun, taken)
            {
                __atomic_add_fetch(&taken[omp_get_thread_num()], 1, __ATOMIC_RELAXED);
                raise_by_one(&begun);
                await(&begun, width);
            }
        }
    }
    for (int i = 0; i < width; ++i) EXPECT_EQ(taken[i], 1);
}

// The generating thread waits for the tasks in taskwait, and may execute one of them there.
static void pairs_that_wait_for_each_other(int width) {
    int flags[2] = {0, 0};
    if (width < 2) return;
#pragma omp parallel num_threads(width)
    {
#pragma omp single
        for (int round = 1; round <= 5; ++round) {
            for (int side = 0; side < 2; ++side) {
#pragma omp task firstprivate(side, round) shared(flags)
                {
                    raise_by_one(&flags[side]);
                    await(&flags[1 - side], round);
                }
            }
#pragma omp taskwait
        }
    }
    EXPECT_EQ(flags[0], 5);
    EXPECT_EQ(flags[1], 5);
}

// A task generates the tasks, possibly on another thread than the one that executed the single construct.
static void from_inside_a_task(int width) {
    int begun = 0;
    if (width < 2) return;
#pragma omp parallel num_threads(width)
    {
#pragma omp single nowait
        {
#pragma omp task shared(begun)
            for (int i = 1; i <= 3; ++i) {
#pragma omp task shared(begun)
                raise_by_one(&begun);
                await(&begun, i);
            }
        }
    }
    EXPECT_EQ(begun, 3);
}

static void parts_of_a_loop(int width) {
    int begun = 0;
#pragma omp parallel num_threads(width)
    {
#pragma omp single
        {
#pragma omp taskloop num_tasks(width) shared(begun)
            for (int i = 0; i < width; ++i) {
                raise_by_one(&begun);
                await(&begun, width);
            }
        }
    }
    EXPECT_EQ(begun, width);
}

// The other threads have nothing to do in the region and may have left it.
static void after_the_others_have_left(int width) {
    int begun = 0;
    if (width < 2) return;
#pragma omp parallel num_threads(width)
    {
        if (omp_get_thread_num() == 0) {
            usleep(2000);
            for (int i = 1; i <= 3; ++i) {
#pragma omp task shared(begun)
                {
                    EXPECT(omp_get_thread_num() != 0);
                    raise_by_one(&begun);
                }
                await(&begun, i);
            }
        }
    }
    EXPECT_EQ(begun, 3);
}

static void in_teams_inside(int width) {
    EXPECT(width > 0);
#pragma omp parallel num_threads(2)
    after_the_others_have_left(3);
}

int main(void) {
    check("after-the-others-have-left", after_the_others_have_left);
    check("in-teams-inside", in_teams_inside);
    check("from-a-busy-producer", from_a_busy_producer);
    check("one-for-each-thread", one_for_each_thread);
    check("pairs-that-wait-for-each-other", pairs_that_wait_for_each_other);
    check("from-inside-a-task", from_inside_a_task);
    check("parts-of-a-loop", parts_of_a_loop);
    return check_done();
}
