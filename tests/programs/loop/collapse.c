// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// collapse: rectangular nests of two and three loops, mixed types and steps, triangular nests.
#include "check.h"

static void two(int width) {
    int hits[9][11] = {{0}};
#pragma omp parallel for num_threads(width) collapse(2) schedule(dynamic, 4)
    for (int i = 0; i < 9; ++i)
        for (int j = 0; j < 11; ++j) {
#pragma omp atomic
            hits[i][j]++;
        }
    for (int i = 0; i < 9; ++i)
        for (int j = 0; j < 11; ++j) EXPECT_EQ(hits[i][j], 1);
}

static void three(int width) {
    int hits[3][4][5] = {{{0}}}, order_kept = 1;
#pragma omp parallel num_threads(width)
    {
        int last = -1;
#pragma omp for collapse(3) schedule(static)
        for (int i = 0; i < 3; ++i)
            for (long j = 8; j > 0; j -= 2)
                for (unsigned char k = 10; k < 20; k += 2) {
                    int at = (i * 4 + (int)(8 - j) / 2) * 5 + (k - 10) / 2;
#pragma omp atomic
                    hits[i][(8 - j) / 2][(k - 10) / 2]++;
                    if (at <= last) order_kept = 0;
                    last = at;
                }
    }
    EXPECT(order_kept);
    for (int i = 0; i < 60; ++i) EXPECT_EQ((&hits[0][0][0])[i], 1);
}

static void with_empty_dimension(int width) {
    int hits = 0, none = 0;
#pragma omp parallel for num_threads(width) collapse(3) reduction(+ : hits)
    for (int i = 0; i < 5; ++i)
        for (int j = 0; j < none; ++j)
            for (int k = 0; k < 5; ++k) hits++;
    EXPECT_EQ(hits, 0);
}

static void triangular(int width) {
    int hits[20][20] = {{0}};
#pragma omp parallel for num_threads(width) collapse(2)
    for (int i = 0; i < 20; ++i)
        for (int j = 0; j <= i; ++j) {
#pragma omp atomic
            hits[i][j]++;
        }
    for (int i = 0; i < 20; ++i)
        for (int j = 0; j < 20; ++j) EXPECT_EQ(hits[i][j], j <= i);
}

static void more_than_32_bits(int width) {
    long long n = 3000000000LL, seen = 0, last = 0;
#pragma omp parallel for num_threads(width) collapse(2) schedule(static) reduction(+ : seen) reduction(max : last)
    for (long long i = 0; i < 4 * n; i += n)
        for (long long j = 0; j < 4 * n; j += n) {
            seen++;
            last = i + j > last ? i + j : last;
        }
    EXPECT_EQ(seen, 16);
    EXPECT_EQ(last, 6 * n);
}

int main(void) {
    check("two", two);
    check("three", three);
    check("with-empty-dimension", with_empty_dimension);
    check("triangular", triangular);
    check("more-than-32-bits", more_than_32_bits);
    return check_done();
}
