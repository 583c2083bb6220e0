// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ordered(n) with depend(source) and depend(sink): one and two dimensions, several sinks, sinks outside the
// space.
//
// libgomp waits for a sink by spinning, which takes minutes on an oversubscribed machine:
// test: peer-teams gcc 1 2
#include "check.h"

static void one_dimension(int width) {
    long a[200];
    a[0] = 1;
#pragma omp parallel for num_threads(width) ordered(1) schedule(static, 4)
    for (int i = 1; i < 200; ++i) {
#pragma omp ordered depend(sink : i - 1)
        a[i] = a[i - 1] + i;
#pragma omp ordered depend(source)
    }
    for (int i = 0; i < 200; ++i) EXPECT_EQ(a[i], 1 + (long)i * (i + 1) / 2);
}

static void dynamic_distance(int width) {
    int a[100];
    for (int i = 0; i < 100; ++i) a[i] = 1;
#pragma omp parallel for num_threads(width) ordered(1) schedule(dynamic, 2)
    for (int i = 5; i < 100; ++i) {
#pragma omp ordered depend(sink : i - 5) depend(sink : i - 2)
        a[i] = (a[i - 5] + a[i - 2]) % 1000;
#pragma omp ordered depend(source)
    }
    int want[100];
    for (int i = 0; i < 100; ++i) want[i] = i < 5 ? 1 : (want[i - 5] + want[i - 2]) % 1000;
    for (int i = 0; i < 100; ++i) EXPECT_EQ(a[i], want[i]);
}

static void wavefront(int width) {
    enum { n = 18 };
    long grid[n][n];
    for (int i = 0; i < n; ++i) grid[i][0] = grid[0][i] = 1;
#pragma omp parallel num_threads(width)
    {
#pragma omp for ordered(2) schedule(static, 1)
        for (int i = 1; i < n; ++i)
            for (int j = 1; j < n; ++j) {
#pragma omp ordered depend(sink : i - 1, j) depend(sink : i, j - 1)
                grid[i][j] = (grid[i - 1][j] + grid[i][j - 1]) % 9973;
#pragma omp ordered depend(source)
            }
    }
    long want[n][n];
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
            want[i][j] = i == 0 || j == 0 ? 1 : (want[i - 1][j] + want[i][j - 1]) % 9973;
            EXPECT_EQ(grid[i][j], want[i][j]);
        }
}

static void collapsed(int width) {
    enum { n = 9 };
    int grid[n][n][n];
    memset(grid, 0, sizeof grid);
#pragma omp parallel for num_threads(width) collapse(2) ordered(3) schedule(static, 1)
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j)
            for (int k = 0; k < n; ++k) {
#pragma omp ordered depend(sink : i, j - 1, k) depend(sink : i - 1, j, k)
                int left = j ? grid[i][j - 1][k] : 0, up = i ? grid[i - 1][j][k] : 0;
                grid[i][j][k] = (left > up ? left : up) + 1;
#pragma omp ordered depend(source)
            }
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j)
            for (int k = 0; k < n; ++k) EXPECT_EQ(grid[i][j][k], i + j + 1);
}

static void downwards_with_step(int width) {
    int a[101];
    memset(a, 0, sizeof a);
#pragma omp parallel for num_threads(width) ordered(1) schedule(dynamic)
    for (long i = 100; i > 0; i -= 4) {
#pragma omp ordered depend(sink : i + 4)
        a[i] = i == 100 ? 1 : a[i + 4] + 1;
#pragma omp ordered depend(source)
    }
    EXPECT_EQ(a[100], 1);
    EXPECT_EQ(a[4], 25);
}

static void nowait_chain(int width) {
    int a[10][40];
    memset(a, 0, sizeof a);
#pragma omp parallel num_threads(width)
    for (int loop = 0; loop < 10; ++loop) {
#pragma omp for ordered(1) schedule(static, 3) nowait
        for (int i = 0; i < 40; ++i) {
#pragma omp ordered depend(sink : i - 1)
            a[loop][i] = i ? a[loop][i - 1] + 1 : loop;
#pragma omp ordered depend(source)
        }
    }
    for (int loop = 0; loop < 10; ++loop) EXPECT_EQ(a[loop][39], loop + 39);
}

static void unsigned_long_long(int width) {
    unsigned long long base = 1ull << 63;
    int a[50] = {0};
#pragma omp parallel for num_threads(width) ordered(1) schedule(dynamic, 3)
    for (unsigned long long i = base; i < base + 50; ++i) {
#pragma omp ordered depend(sink : i - 1)
        a[i - base] = i == base ? 1 : a[i - base - 1] + 1;
#pragma omp ordered depend(source)
    }
    EXPECT_EQ(a[49], 50);
}

int main(void) {
    check("one-dimension", one_dimension);
    check("dynamic-distance", dynamic_distance);
    check("wavefront", wavefront);
    check("collapsed", collapsed);
    check("downwards-with-step", downwards_with_step);
    check("nowait-chain", nowait_chain);
    check("unsigned-long-long", unsigned_long_long);
    return check_done();
}
