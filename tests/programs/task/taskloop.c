// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// taskloop: grainsize, num_tasks, collapse, reductions, lastprivate, nogroup, if and final, bounds of several
// types.
#include "check.h"

#define IN_SINGLE(width) _Pragma("omp parallel num_threads(width)") _Pragma("omp single")

static void expect_once(const int* hits, int n) {
    for (int i = 0; i < n; ++i) EXPECT_EQ(hits[i], 1);
}

static void plain(int width) {
    int hits[150] = {0};
    IN_SINGLE(width) {
#pragma omp taskloop shared(hits)
        for (int i = 0; i < 150; ++i) {
#pragma omp atomic
            hits[i]++;
        }
        expect_once(hits, 150);
    }
}

static void sized(int width) {
    int a[100] = {0}, b[100] = {0}, c[100] = {0}, d[100] = {0};
    IN_SINGLE(width) {
#pragma omp taskloop grainsize(7) shared(a)
        for (int i = 0; i < 100; ++i) a[i]++;
#pragma omp taskloop num_tasks(9) shared(b)
        for (int i = 0; i < 100; ++i) b[i]++;
#pragma omp taskloop grainsize(1000) shared(c)
        for (int i = 0; i < 100; ++i) c[i]++;
#pragma omp taskloop num_tasks(1000) shared(d)
        for (int i = 0; i < 100; ++i) d[i]++;
    }
    expect_once(a, 100);
    expect_once(b, 100);
    expect_once(c, 100);
    expect_once(d, 100);
}

static void strict(int width) {
    int a[100] = {0}, b[100] = {0};
    IN_SINGLE(width) {
#pragma omp taskloop grainsize(strict : 8) shared(a)
        for (int i = 0; i < 100; ++i) a[i]++;
#pragma omp taskloop num_tasks(strict : 6) shared(b)
        for (int i = 0; i < 100; ++i) b[i]++;
    }
    expect_once(a, 100);
    expect_once(b, 100);
}

static void collapsed(int width) {
    int hits[8][9] = {{0}};
    IN_SINGLE(width) {
#pragma omp taskloop collapse(2) grainsize(5) shared(hits)
        for (int i = 0; i < 8; ++i)
            for (int j = 0; j < 9; ++j) hits[i][j]++;
    }
    expect_once(&hits[0][0], 72);
}

static void reductions(int width) {
    long sum = 7, grouped = 0;
    IN_SINGLE(width) {
#pragma omp taskloop reduction(+ : sum) grainsize(4)
        for (int i = 0; i < 100; ++i) sum += i;
        EXPECT_EQ(sum, 4957);
#pragma omp taskgroup task_reduction(+ : grouped)
        {
#pragma omp taskloop in_reduction(+ : grouped) nogroup num_tasks(5)
            for (int i = 0; i < 100; ++i) grouped += i;
#pragma omp task in_reduction(+ : grouped)
            grouped += 50;
        }
        EXPECT_EQ(grouped, 5000);
    }
}

static void values(int width) {
    int last = -1, first = 3, sum = 0;
    IN_SINGLE(width) {
#pragma omp taskloop lastprivate(last) firstprivate(first) shared(sum) grainsize(6)
        for (int i = 0; i < 77; ++i) {
            last = i + first;
#pragma omp atomic
            sum += first;
        }
        EXPECT_EQ(last, 79);
    }
    EXPECT_EQ(sum, 231);
}

static void conditions(int width) {
    int a[40] = {0}, b[40] = {0}, none = 0;
    IN_SINGLE(width) {
        int me = omp_get_thread_num();
#pragma omp taskloop if (0) shared(a) firstprivate(me)
        for (int i = 0; i < 40; ++i) a[i] += omp_get_thread_num() == me;
#pragma omp taskloop final(1) shared(b)
        for (int i = 0; i < 40; ++i) b[i] += omp_in_final() == 1;
#pragma omp taskloop shared(none)
        for (int i = 0; i < none; ++i) none = 100;
    }
    expect_once(a, 40);
    expect_once(b, 40);
    EXPECT_EQ(none, 0);
}

static void bounds(int width) {
    unsigned long long big = 1ull << 63, sum = 0;
    long down = 0;
    IN_SINGLE(width) {
#pragma omp taskloop shared(sum) grainsize(3)
        for (unsigned long long i = big; i < big + 30; i += 3) {
#pragma omp atomic
            sum += i - big;
        }
#pragma omp taskloop shared(down) num_tasks(4)
        for (long i = 50; i > -50; i -= 5) {
#pragma omp atomic
            down += i;
        }
    }
    EXPECT_EQ(sum, 135);
    EXPECT_EQ(down, 50);
}

static void every_thread(int width) {
    int count = 0;
#pragma omp parallel num_threads(width)
    {
#pragma omp taskloop grainsize(2) shared(count)
        for (int i = 0; i < 10; ++i) {
#pragma omp atomic
            count++;
        }
    }
    EXPECT_EQ(count, 10 * width);
}

static void combined(int width) {
    int hits[60] = {0};
#pragma omp parallel master taskloop num_threads(width) shared(hits)
    for (int i = 0; i < 60; ++i) hits[i]++;
    expect_once(hits, 60);
}

int main(void) {
    check("plain", plain);
    check("sized", sized);
    check("strict", strict);
    check("collapsed", collapsed);
    check("reductions", reductions);
    check("values", values);
    check("conditions", conditions);
    check("bounds", bounds);
    check("every-thread", every_thread);
    check("combined", combined);
    return check_done();
}
