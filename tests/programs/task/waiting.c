// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tasks that wait: in taskwait and taskgroup while siblings go on, for locks and criticals, with a held lock,
// at taskyield; the task scheduling constraint, by which the thread of a waiting tied task may begin only that
// task's descendants; and constant thread numbers.
#include "check.h"

typedef struct Frame {
    struct Frame* parent;     // the generating task
    struct Frame* suspended;  // the tied task that waits below this one on the same thread
} Frame;

// The innermost tied task that the thread has begun and not ended.
static __thread Frame* current;

static int descends_from(const Frame* task, const Frame* ancestor) {
    while (task && task != ancestor) task = task->parent;
    return task == ancestor;
}

static void enter(Frame* task, Frame* parent, int* wrong) {
    task->parent = parent;
    task->suspended = current;
    if (current && !descends_from(task, current)) {
#pragma omp atomic
        ++*wrong;
    }
    current = task;
}

static void leave(Frame* task, int* wrong) {
    if (current != task) {
#pragma omp atomic
        ++*wrong;
    }
    current = task->suspended;
}

static void constrained(Frame* parent, int depth, int* wrong, int* count) {
    for (int i = 0; i < 3; ++i) {
#pragma omp task firstprivate(parent, depth, wrong, count)
        {
            Frame mine;
            Frame* self = &mine;
            int me = omp_get_thread_num();
            enter(self, parent, wrong);
            if (depth > 0) {
                constrained(self, depth - 1, wrong, count);
#pragma omp taskyield
                if (depth & 1) {
#pragma omp taskwait
                } else {
#pragma omp taskgroup
                    {
#pragma omp task firstprivate(self, wrong)
                        {
                            Frame child;
                            enter(&child, self, wrong);
                            leave(&child, wrong);
                        }
                    }
#pragma omp taskwait
                }
            }
            if (omp_get_thread_num() != me) {
#pragma omp atomic
                ++*wrong;
            }
#pragma omp atomic
            ++*count;
            leave(self, wrong);
        }
    }
}

static void scheduling_constraint(int width) {
    int wrong = 0, count = 0;
#pragma omp parallel num_threads(width)
    {
        Frame* outer = current;
        current = NULL;
#pragma omp single
        constrained(NULL, 3, &wrong, &count);
        current = outer;
    }
    EXPECT_EQ(wrong, 0);
    EXPECT_EQ(count, 3 + 9 + 27 + 81);
}

static void siblings_go_on(int width) {
    int done = 0, waited = 0;
#pragma omp parallel num_threads(width)
    {
#pragma omp single
        for (int i = 0; i < 16; ++i) {
#pragma omp task firstprivate(i)
            {
                int children = 0;
                for (int k = 0; k < i; ++k) {
#pragma omp task shared(children, done)
                    {
#pragma omp atomic
                        children++;
#pragma omp atomic
                        done++;
                    }
                }
#pragma omp taskwait
                EXPECT_EQ(children, i);
#pragma omp atomic
                waited++;
            }
        }
    }
    EXPECT_EQ(waited, 16);
    EXPECT_EQ(done, 120);
}

// Legal, because the thread of a tied task that waits with the lock may begin that task's children only, which
// do not want the lock. A runtime whose thread begins a sibling there deadlocks.
static void lock_over_a_wait(int width) {
    omp_lock_t lock;
    int inside = 0, wrong = 0, rounds = 0;
    omp_init_lock(&lock);
#pragma omp parallel num_threads(width)
    {
        for (int i = 0; i < 3; ++i) {
#pragma omp task shared(lock, inside, wrong, rounds)
            {
                int child = 0;
                omp_set_lock(&lock);
                wrong += inside++ != 0;
                for (int k = 0; k < 3; ++k) {
#pragma omp task shared(child)
                    {
#pragma omp atomic
                        child++;
                    }
                }
#pragma omp taskwait
                wrong += child != 3;
                inside--;
                rounds++;
                omp_unset_lock(&lock);
            }
        }
    }
    omp_destroy_lock(&lock);
    EXPECT_EQ(rounds, 3 * width);
    EXPECT_EQ(wrong, 0);
}

static void lock_over_a_taskgroup(int width) {
    omp_nest_lock_t lock;
    int rounds = 0;
    omp_init_nest_lock(&lock);
#pragma omp parallel num_threads(width)
    {
#pragma omp single
        for (int i = 0; i < 6; ++i) {
#pragma omp task shared(lock, rounds)
            {
                int child = 0;
                omp_set_nest_lock(&lock);
                EXPECT_EQ(omp_test_nest_lock(&lock), 2);
#pragma omp taskgroup
                {
#pragma omp task shared(child)
                    {
#pragma omp task shared(child)
                        child = 1;
                    }
                }
                rounds += child;
                omp_unset_nest_lock(&lock);
                omp_unset_nest_lock(&lock);
            }
        }
    }
    omp_destroy_nest_lock(&lock);
    EXPECT_EQ(rounds, 6);
}

static void criticals(int width) {
    int count = 0, inside = 0, wrong = 0;
#pragma omp parallel num_threads(width)
    {
        for (int i = 0; i < 12; ++i) {
#pragma omp task shared(count, inside, wrong)
            {
#pragma omp critical(waiting_tasks)
                {
                    wrong += __atomic_fetch_add(&inside, 1, __ATOMIC_RELAXED) != 0;
                    count++;
                    __atomic_fetch_sub(&inside, 1, __ATOMIC_RELAXED);
                }
            }
        }
    }
    // Concurrent callers, in outer teams, share the critical name, so each checks a count of its own only.
    EXPECT_EQ(count, 12 * width);
    EXPECT_EQ(wrong, 0);
}

// Every thread waits for its own tasks while other threads' tasks are ready.
static void everybody_waits(int width) {
    int total = 0;
#pragma omp parallel num_threads(width)
    for (int round = 0; round < 5; ++round) {
        int mine = 0;
        for (int i = 0; i < 8; ++i) {
#pragma omp task shared(mine, total)
            {
#pragma omp atomic
                mine++;
#pragma omp atomic
                total++;
            }
        }
#pragma omp taskwait
        EXPECT_EQ(mine, 8);
    }
    EXPECT_EQ(total, 40 * width);
}

static void yields(int width) {
    int count = 0;
#pragma omp parallel num_threads(width)
    {
        for (int i = 0; i < 10; ++i) {
#pragma omp task shared(count)
            {
                int me = omp_get_thread_num();
                for (int k = 0; k < 5; ++k) {
#pragma omp taskyield
                    EXPECT_EQ(omp_get_thread_num(), me);
                }
#pragma omp atomic
                count++;
            }
        }
#pragma omp taskyield
#pragma omp taskwait
#pragma omp taskyield
    }
    EXPECT_EQ(count, 10 * width);
}

static void locks_of_their_own(int width) {
    enum { n = 8 };
    omp_lock_t locks[n];
    int moved[n] = {0};
    for (int i = 0; i < n; ++i) omp_init_lock(&locks[i]);
#pragma omp parallel num_threads(width)
    {
#pragma omp single nowait
        for (int i = 0; i < 60; ++i) {
#pragma omp task firstprivate(i) shared(locks, moved)
            {
                int from = i % n, to = (i * 5 + 3) % n;
                int low = from < to ? from : to, high = from < to ? to : from;
                omp_set_lock(&locks[low]);
                if (low != high) omp_set_lock(&locks[high]);
                moved[from]--;
                moved[to]++;
                if (low != high) omp_unset_lock(&locks[high]);
                omp_unset_lock(&locks[low]);
            }
        }
    }
    int sum = 0;
    for (int i = 0; i < n; ++i) {
        sum += moved[i];
        omp_destroy_lock(&locks[i]);
    }
    EXPECT_EQ(sum, 0);
}

int main(void) {
    check("scheduling-constraint", scheduling_constraint);
    check("siblings-go-on", siblings_go_on);
    check("lock-over-a-wait", lock_over_a_wait);
    check("lock-over-a-taskgroup", lock_over_a_taskgroup);
    check("criticals", criticals);
    check("everybody-waits", everybody_waits);
    check("yields", yields);
    check("locks-of-their-own", locks_of_their_own);
    return check_done();
}
