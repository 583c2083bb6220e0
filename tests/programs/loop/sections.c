// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// sections: each runs once, with more or fewer sections than threads; the implied barrier, nowait, data clauses.
#include "check.h"

static void each_once(int width) {
    int hits[10] = {0};
#pragma omp parallel num_threads(width)
    {
#pragma omp sections
        {
            __atomic_fetch_add(&hits[0], 1, __ATOMIC_RELAXED);
#pragma omp section
            __atomic_fetch_add(&hits[1], 1, __ATOMIC_RELAXED);
#pragma omp section
            __atomic_fetch_add(&hits[2], 1, __ATOMIC_RELAXED);
#pragma omp section
            __atomic_fetch_add(&hits[3], 1, __ATOMIC_RELAXED);
#pragma omp section
            __atomic_fetch_add(&hits[4], 1, __ATOMIC_RELAXED);
#pragma omp section
            __atomic_fetch_add(&hits[5], 1, __ATOMIC_RELAXED);
#pragma omp section
            __atomic_fetch_add(&hits[6], 1, __ATOMIC_RELAXED);
#pragma omp section
            __atomic_fetch_add(&hits[7], 1, __ATOMIC_RELAXED);
#pragma omp section
            __atomic_fetch_add(&hits[8], 1, __ATOMIC_RELAXED);
#pragma omp section
            __atomic_fetch_add(&hits[9], 1, __ATOMIC_RELAXED);
        }
        for (int i = 0; i < 10; ++i) EXPECT_EQ(hits[i], 1);
    }
}

static void one_section(int width) {
    int hits = 0;
#pragma omp parallel num_threads(width)
    {
#pragma omp sections
        {
#pragma omp section
            __atomic_fetch_add(&hits, 1, __ATOMIC_RELAXED);
        }
        EXPECT_EQ(hits, 1);
    }
}

static void many_in_a_row(int width) {
    int hits[30] = {0};
#pragma omp parallel num_threads(width)
    for (int i = 0; i < 30; ++i) {
#pragma omp sections nowait
        {
#pragma omp section
            __atomic_fetch_add(&hits[i], 1, __ATOMIC_RELAXED);
#pragma omp section
            __atomic_fetch_add(&hits[i], 10, __ATOMIC_RELAXED);
        }
    }
    for (int i = 0; i < 30; ++i) EXPECT_EQ(hits[i], 11);
}

static void data_clauses(int width) {
    int first = 4, last = 0, sum = 100;
#pragma omp parallel num_threads(width)
    {
#pragma omp sections firstprivate(first) lastprivate(last) reduction(+ : sum)
        {
#pragma omp section
            {
                EXPECT(first >= 4);
                first += 10;
                last = 1;
                sum += 1;
            }
#pragma omp section
            {
                last = 2;
                sum += 2;
            }
        }
    }
    EXPECT_EQ(first, 4);
    EXPECT_EQ(last, 2);
    EXPECT_EQ(sum, 103);
}

static void nested_region_inside(int width) {
    int total = 0;
#pragma omp parallel sections num_threads(width) reduction(+ : total)
    {
#pragma omp section
        {
#pragma omp parallel num_threads(3) reduction(+ : total)
            total += 1;
        }
#pragma omp section
        {
#pragma omp parallel num_threads(2) reduction(+ : total)
            total += 10;
        }
    }
    EXPECT_EQ(total, 23);
}

int main(void) {
    check("each-once", each_once);
    check("one-section", one_section);
    check("many-in-a-row", many_in_a_row);
    check("data-clauses", data_clauses);
    check("nested-region-inside", nested_region_inside);
    return check_done();
}
