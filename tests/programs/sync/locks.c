// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Simple and nestable locks: exclusion, test, many locks, locks held over barriers and nested regions.
#include <sched.h>
#include "check.h"

static void exclusion(omp_lock_t* lock, int width) {
    long count = 0;
    int inside = 0;
#pragma omp parallel num_threads(width)
    for (int i = 0; i < 30; ++i) {
        omp_set_lock(lock);
        EXPECT_EQ(inside++, 0);
        count++;
        inside--;
        omp_unset_lock(lock);
    }
    EXPECT_EQ(count, 30 * width);
}

static void simple(int width) {
    omp_lock_t lock;
    omp_init_lock(&lock);
    exclusion(&lock, width);
    omp_destroy_lock(&lock);
}

static void test_lock(int width) {
    omp_lock_t lock;
    long count = 0, failed = 0;
    omp_init_lock(&lock);
    EXPECT(omp_test_lock(&lock));
#pragma omp parallel num_threads(width) reduction(+ : failed)
    failed += !omp_test_lock(&lock);
    EXPECT_EQ(failed, width);
    omp_unset_lock(&lock);
#pragma omp parallel num_threads(width)
    for (int i = 0; i < 10; ++i) {
        while (!omp_test_lock(&lock)) sched_yield();
        count++;
        omp_unset_lock(&lock);
    }
    EXPECT_EQ(count, 10 * width);
    omp_destroy_lock(&lock);
}

static void nest_depth(omp_nest_lock_t* lock, int width) {
    long count = 0;
#pragma omp parallel num_threads(width)
    for (int i = 0; i < 8; ++i) {
        omp_set_nest_lock(lock);
        omp_set_nest_lock(lock);
        EXPECT_EQ(omp_test_nest_lock(lock), 3);
        count++;
        omp_unset_nest_lock(lock);
        EXPECT_EQ(omp_test_nest_lock(lock), 3);
        omp_unset_nest_lock(lock);
        omp_unset_nest_lock(lock);
        count++;
        omp_unset_nest_lock(lock);
    }
    EXPECT_EQ(count, 16 * width);
}

static void nestable(int width) {
    omp_nest_lock_t lock;
    omp_init_nest_lock(&lock);
    nest_depth(&lock, width);
    omp_destroy_nest_lock(&lock);
}

static void nestable_held_by_another(int width) {
    omp_nest_lock_t lock;
    int failed = 0;
    omp_init_nest_lock(&lock);
    omp_set_nest_lock(&lock);
#pragma omp parallel num_threads(width) reduction(+ : failed)
    if (omp_get_thread_num() != 0) failed += omp_test_nest_lock(&lock) == 0;
    EXPECT_EQ(failed, width - 1);
    omp_unset_nest_lock(&lock);
    omp_destroy_nest_lock(&lock);
}

static void many(int width) {
    enum { n = 50 };
    omp_lock_t locks[n];
    int counts[n] = {0};
    for (int i = 0; i < n; ++i) omp_init_lock(&locks[i]);
#pragma omp parallel num_threads(width)
    for (int i = 0; i < 4 * n; ++i) {
        int at = (i * 7 + omp_get_thread_num() * 3) % n;
        omp_set_lock(&locks[at]);
        counts[at]++;
        omp_unset_lock(&locks[at]);
    }
    int total = 0;
    for (int i = 0; i < n; ++i) {
        total += counts[i];
        omp_destroy_lock(&locks[i]);
    }
    EXPECT_EQ(total, 4 * n * width);
}

static void two_at_once(int width) {
    omp_lock_t first, second;
    long count = 0;
    omp_init_lock(&first);
    omp_init_lock(&second);
#pragma omp parallel num_threads(width)
    for (int i = 0; i < 10; ++i) {
        omp_set_lock(&first);
        omp_set_lock(&second);
        count++;
        omp_unset_lock(&first);
        omp_unset_lock(&second);
    }
    EXPECT_EQ(count, 10 * width);
    omp_destroy_lock(&first);
    omp_destroy_lock(&second);
}

// The holder waits at barriers and opens a region of its own while its siblings wait for the lock.
static void held_while_suspended(int width) {
    omp_lock_t lock;
    int held = 0, after = 0;
    omp_init_lock(&lock);
#pragma omp parallel num_threads(width)
    {
        if (omp_get_thread_num() == 0) {
            omp_set_lock(&lock);
            held = 1;
        }
#pragma omp barrier
        if (omp_get_thread_num() == 0) {
#pragma omp parallel num_threads(2)
            {
#pragma omp barrier
            }
            held = 0;
            omp_unset_lock(&lock);
        } else {
            omp_set_lock(&lock);
            EXPECT_EQ(held, 0);
            after++;
            omp_unset_lock(&lock);
        }
    }
    EXPECT_EQ(after, width - 1);
    omp_destroy_lock(&lock);
}

// Locks belong to tasks, not to threads: a task may set a lock before a region and unset it after the region.
static void across_regions(int width) {
    omp_lock_t lock;
    int free_inside = 0;
    omp_init_lock(&lock);
    for (int i = 0; i < 3; ++i) {
        omp_set_lock(&lock);
#pragma omp parallel num_threads(width) reduction(+ : free_inside)
        free_inside += omp_test_lock(&lock);
        omp_unset_lock(&lock);
    }
    EXPECT_EQ(free_inside, 0);
    omp_destroy_lock(&lock);
}

int main(void) {
    check("simple", simple);
    check("test-lock", test_lock);
    check("nestable", nestable);
    check("nestable-held-by-another", nestable_held_by_another);
    check("many", many);
    check("two-at-once", two_at_once);
    check("held-while-suspended", held_while_suspended);
    check("across-regions", across_regions);
    return check_done();
}
