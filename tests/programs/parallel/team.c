// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// parallel: a team has exactly the requested size; thread numbers, levels, and each thread's view of the data.
#include "check.h"

static void exact_size(int width) {
    int level = omp_get_level(), active = omp_get_active_level();
    int seen[64] = {0};
#pragma omp parallel num_threads(width)
    {
        int me = omp_get_thread_num();
        EXPECT_EQ(omp_get_num_threads(), width);
        EXPECT(me >= 0 && me < width);
        EXPECT_EQ(omp_get_level(), level + 1);
        EXPECT_EQ(omp_get_active_level(), active + (width > 1));
        EXPECT_EQ(omp_in_parallel(), active > 0 || width > 1);
        if (me >= 0 && me < 64) {
#pragma omp atomic
            seen[me]++;
        }
    }
    for (int i = 0; i < 64; ++i) EXPECT_EQ(seen[i], i < width);
    EXPECT_EQ(omp_get_level(), level);
}

static void primary_is_caller(int width) {
    int caller = 1, in_master = 0;
    int* stack = &caller;
#pragma omp parallel num_threads(width) shared(caller, in_master)
    {
        if (omp_get_thread_num() == 0) *stack = 2;
#pragma omp master
        in_master = omp_get_thread_num() + 1;
    }
    EXPECT_EQ(caller, 2);
    EXPECT_EQ(in_master, 1);
}

static void if_clause(int width) {
    int on = width > 2, threads = -1, level = -1, outer = omp_get_level();
#pragma omp parallel num_threads(width) if (on)
    {
#pragma omp single
        {
            threads = omp_get_num_threads();
            level = omp_get_level();
        }
    }
    EXPECT_EQ(threads, on ? width : 1);
    EXPECT_EQ(level, outer + 1);
#pragma omp parallel num_threads(width) if (0)
    {
        EXPECT_EQ(omp_get_num_threads(), 1);
        EXPECT_EQ(omp_get_thread_num(), 0);
        EXPECT_EQ(omp_get_level(), outer + 1);
    }
#pragma omp parallel num_threads(width) if (parallel : width > 0)
    EXPECT_EQ(omp_get_num_threads(), width);
}

static void data_clauses(int width) {
    int shared_sum = 0, first = 7, own = 3;
    double big[100];
    for (int i = 0; i < 100; ++i) big[i] = i;
#pragma omp parallel num_threads(width) default(none) shared(shared_sum, width) firstprivate(first, big) private(own)
    {
        int me = omp_get_thread_num();
        EXPECT_EQ(first, 7);
        EXPECT(big[99] == 99);
        first += me;
        own = me;
        big[me % 100] = -1;
#pragma omp barrier
        EXPECT_EQ(first, 7 + me);
        EXPECT_EQ(own, me);
        for (int i = 0; i < 100; ++i) EXPECT(big[i] == (i == me ? -1 : i));
#pragma omp atomic
        shared_sum += own;
    }
    EXPECT_EQ(shared_sum, width * (width - 1) / 2);
    EXPECT_EQ(first, 7);
    EXPECT_EQ(own, 3);
    EXPECT(big[0] == 0);
}

static void changing_sizes(int width) {
    for (int i = 0; i < 12; ++i) {
        int size = 1 + (i * 5 + width) % (width + 2), count = 0;
#pragma omp parallel num_threads(size) reduction(+ : count)
        {
            EXPECT_EQ(omp_get_num_threads(), size);
            count = 1;
        }
        EXPECT_EQ(count, size);
    }
}

static void set_num_threads(int width) {
    int before = omp_get_max_threads(), count = 0;
    omp_set_num_threads(width);
    EXPECT_EQ(omp_get_max_threads(), width);
#pragma omp parallel
    {
#pragma omp atomic
        count++;
    }
    EXPECT_EQ(count, width);
    omp_set_num_threads(before);
}

static void proc_bind(int width) {
    int close = 0, spread = 0, primary = 0;
#pragma omp parallel num_threads(width) proc_bind(close) reduction(+ : close)
    close++;
#pragma omp parallel num_threads(width) proc_bind(spread) reduction(+ : spread)
    spread++;
#pragma omp parallel num_threads(width) proc_bind(master) reduction(+ : primary)
    primary++;
    EXPECT_EQ(close, width);
    EXPECT_EQ(spread, width);
    EXPECT_EQ(primary, width);
}

static void combined(int width) {
    long sum = 0;
    int a = 0, b = 0, c = 0;
#pragma omp parallel for num_threads(width) reduction(+ : sum) schedule(static)
    for (int i = 0; i < 1000; ++i) sum += i;
    EXPECT_EQ(sum, 499500);
#pragma omp parallel sections num_threads(width)
    {
#pragma omp section
        a = 1;
#pragma omp section
        b = 2;
#pragma omp section
        c = 3;
    }
    EXPECT_EQ(a * 100 + b * 10 + c, 123);
    int by = -1;
#pragma omp parallel master num_threads(width)
    by = omp_get_thread_num();
    EXPECT_EQ(by, 0);
}

int main(void) {
    check("exact-size", exact_size);
    check("primary-is-caller", primary_is_caller);
    check("if-clause", if_clause);
    check("data-clauses", data_clauses);
    check("changing-sizes", changing_sizes);
    check("set-num-threads", set_num_threads);
    check("proc-bind", proc_bind);
    check("combined", combined);
    return check_done();
}
