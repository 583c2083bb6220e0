// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ICVs belong to data environments (OpenMP 5.2 section 2.3): an implicit task inherits the values of the task
// that forked it, and only the task that sets a value and its descendants see it.
#include "check.h"

static void nthreads(int width) {
    int outside = omp_get_max_threads();
    omp_set_num_threads(6);
#pragma omp parallel num_threads(width)
    {
        int me = omp_get_thread_num();
        EXPECT_EQ(omp_get_max_threads(), 6);
        omp_set_num_threads(2 + me % 3);
#pragma omp barrier
        EXPECT_EQ(omp_get_max_threads(), 2 + me % 3);
#pragma omp parallel
        {
            EXPECT_EQ(omp_get_num_threads(), 2 + me % 3);
            EXPECT_EQ(omp_get_max_threads(), 2 + me % 3);
            omp_set_num_threads(50);
        }
        EXPECT_EQ(omp_get_max_threads(), 2 + me % 3);
    }
    EXPECT_EQ(omp_get_max_threads(), 6);
    omp_set_num_threads(outside);
}

static void dynamic(int width) {
    omp_set_dynamic(0);
#pragma omp parallel num_threads(width)
    {
        EXPECT_EQ(omp_get_dynamic(), 0);
        if (omp_get_thread_num() % 2) omp_set_dynamic(1);
#pragma omp barrier
        EXPECT_EQ(omp_get_dynamic(), omp_get_thread_num() % 2);
    }
    EXPECT_EQ(omp_get_dynamic(), 0);
}

// A num_threads clause holds for one region and does not change nthreads-var.
static void clause_is_for_one_region(int width) {
    omp_set_num_threads(3);
#pragma omp parallel num_threads(width)
    EXPECT_EQ(omp_get_max_threads(), 3);
#pragma omp parallel
    EXPECT_EQ(omp_get_num_threads(), 3);
    EXPECT_EQ(omp_get_max_threads(), 3);
}

// Each thread of a reused team has a fresh data environment in each region.
static void nothing_left_over(int width) {
    for (int round = 0; round < 4; ++round) {
        omp_set_num_threads(4 + round);
#pragma omp parallel num_threads(width)
        {
            EXPECT_EQ(omp_get_max_threads(), 4 + round);
            EXPECT_EQ(omp_get_dynamic(), 0);
            omp_set_num_threads(77);
            omp_set_dynamic(1);
            omp_set_schedule(omp_sched_guided, 99);
        }
        omp_set_dynamic(0);
        omp_set_schedule(omp_sched_static, 0);
    }
#pragma omp parallel num_threads(width)
    {
        omp_sched_t kind;
        int chunk;
        omp_get_schedule(&kind, &chunk);
        EXPECT_EQ(kind & 0x7fffffff, omp_sched_static);
    }
}

static void serialized_region(int width) {
    (void)width;
    omp_set_num_threads(5);
#pragma omp parallel num_threads(1)
    {
        omp_set_num_threads(9);
#pragma omp parallel if (0)
        EXPECT_EQ(omp_get_max_threads(), 9);
    }
    EXPECT_EQ(omp_get_max_threads(), 5);
}

int main(void) {
    check("nthreads", nthreads);
    check("dynamic", dynamic);
    check("clause-is-for-one-region", clause_is_for_one_region);
    check("nothing-left-over", nothing_left_over);
    check("serialized-region", serialized_region);
    return check_done();
}
