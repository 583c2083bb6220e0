// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// barrier and flush: phases never mix, data crosses, barriers at several nesting levels and beside other
// constructs.
// With nine carriers threads arrive in groups, and with twenty threads by shares.
// test: env
// test: env GOSSAMER_CARRIERS=9
// test: teams 1 2 3 8 20 4x8 2x3x4
#include "check.h"

static void phases(int width) {
    int phase[64] = {0};
#pragma omp parallel num_threads(width)
    {
        int me = omp_get_thread_num();
        for (int p = 1; p <= 25; ++p) {
            phase[me] = p;
#pragma omp barrier
            for (int i = 0; i < width; ++i) EXPECT_EQ(phase[i], p);
#pragma omp barrier
        }
    }
}

static void uneven_arrival(int width) {
    int arrived = 0;
#pragma omp parallel num_threads(width)
    for (int p = 1; p <= 5; ++p) {
        volatile long delay = (omp_get_thread_num() + p) % width * 3000L;
        while (delay > 0) delay = delay - 1;
#pragma omp atomic
        arrived++;
#pragma omp barrier
        EXPECT_EQ(arrived, p * width);
#pragma omp barrier
    }
}

static void neighbour_exchange(int width) {
    long cell[64];
#pragma omp parallel num_threads(width)
    {
        int me = omp_get_thread_num();
        cell[me] = me;
#pragma omp barrier
        for (int p = 0; p < 2 * width; ++p) {
            long taken = cell[(me + 1) % width];
#pragma omp barrier
            cell[me] = taken;
#pragma omp barrier
        }
        EXPECT_EQ(cell[me], me);
    }
}

static void some_inside_nested_teams(int width) {
    int arrived = 0;
#pragma omp parallel num_threads(width)
    {
        for (int p = 1; p <= 3; ++p) {
            if (omp_get_thread_num() % 2 == 0) {
#pragma omp parallel num_threads(3)
                {
#pragma omp barrier
#pragma omp barrier
                    if (omp_get_thread_num() == 2) {
#pragma omp atomic
                        arrived++;
                    }
                }
            } else {
#pragma omp atomic
                arrived++;
            }
#pragma omp barrier
            EXPECT_EQ(arrived, p * width);
#pragma omp barrier
        }
    }
}

static void implied_by_constructs(int width) {
    int a[64] = {0}, sum = 0;
#pragma omp parallel num_threads(width)
    {
        int me = omp_get_thread_num();
        a[me] = me + 1;
#pragma omp for
        for (int i = 0; i < width; ++i) EXPECT(a[i] == 0 || a[i] == i + 1);
        for (int i = 0; i < width; ++i) EXPECT_EQ(a[i], i + 1);
#pragma omp single
        sum = a[0] + a[width - 1];
        EXPECT_EQ(sum, width + 1);
    }
}

static void flush(int width) {
    int value = 0, total = 0;
#pragma omp parallel num_threads(width)
    {
#pragma omp flush
#pragma omp flush(value)
#pragma omp flush acquire
#pragma omp flush release
#pragma omp flush acq_rel
#pragma omp atomic
        value++;
#pragma omp flush
#pragma omp barrier
#pragma omp atomic
        total += value;
    }
    EXPECT_EQ(total, width * width);
}

static void outside_any_region(int width) {
    (void)width;
    if (omp_get_level() == 0) {
#pragma omp barrier
#pragma omp flush
    }
}

int main(void) {
    check("phases", phases);
    check("uneven-arrival", uneven_arrival);
    check("neighbour-exchange", neighbour_exchange);
    check("some-inside-nested-teams", some_inside_nested_teams);
    check("implied-by-constructs", implied_by_constructs);
    check("flush", flush);
    check("outside-any-region", outside_any_region);
    return check_done();
}
