// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// reduction over array sections: from a pointer, of a whole array, of a part, and of an array too large for
// the registers.
#include "check.h"

static void from_pointer(int width) {
    int n = 37;
    double* a = (double*)calloc((size_t)n + 2, sizeof *a);
    a[0] = a[n + 1] = -1;
#pragma omp parallel for num_threads(width) reduction(+ : a[1 : n])
    for (int i = 0; i < 370; ++i) a[1 + i % n] += i;
    for (int i = 0; i < n; ++i) EXPECT(a[1 + i] == 10 * i + 45 * 37);
    EXPECT(a[0] == -1 && a[n + 1] == -1);
    free(a);
}

static void whole_array(int width) {
    int low[8];
    for (int i = 0; i < 8; ++i) low[i] = 1000;
#pragma omp parallel num_threads(width) reduction(min : low)
    for (int i = 0; i < 8; ++i) low[i] = low[i] < 10 * i + omp_get_thread_num() ? low[i] : 10 * i + omp_get_thread_num();
    for (int i = 0; i < 8; ++i) EXPECT_EQ(low[i], 10 * i);
}

static void two_dimensions(int width) {
    long grid[4][5] = {{0}};
#pragma omp parallel for num_threads(width) reduction(+ : grid[1 : 2][0 : 5]) schedule(dynamic)
    for (int i = 0; i < 100; ++i) grid[1 + i % 2][i % 5] += 1;
    for (int row = 0; row < 4; ++row)
        for (int column = 0; column < 5; ++column) EXPECT_EQ(grid[row][column], row == 1 || row == 2 ? 10 : 0);
}

static void large(int width) {
    enum { size = 4096 };
    long sum[size];
    memset(sum, 0, sizeof sum);
#pragma omp parallel for num_threads(width) reduction(+ : sum[0 : size])
    for (int i = 0; i < 4 * size; ++i) sum[i % size] += i;
    for (int i = 0; i < size; ++i) EXPECT_EQ(sum[i], 4L * i + 6L * size);
}

int main(void) {
    check("from-pointer", from_pointer);
    check("whole-array", whole_array);
    check("two-dimensions", two_dimensions);
    check("large", large);
    return check_done();
}
