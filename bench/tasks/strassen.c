// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Strassen's matrix multiplication: seven products of half the size, a task for each, down to small blocks with
// a plain product.
#include "work/strassen.h"
#include "kernel.h"

#include <math.h>
#include <stdlib.h>

static long n;
static double *a, *b, *c;
static double *vector, *inner, *left, *right;

// z = x y, all m by m; x_row, y_row and z_row are the distances of rows.
static void strassen(const double* x, long x_row, const double* y, long y_row, double* z, long z_row, long m, long depth) {
    if (depth >= cut_off || m <= base) {
        strassen_serially(x, x_row, y, y_row, z, z_row, m);
        return;
    }
    const long h = m / 2, block = h * h;
    double* room = malloc((size_t)((sums + products) * block) * sizeof *room);
    if (room == NULL) wrong("no memory for a product of %ld by %ld", m, m);
    double *s = room, *p = room + sums * block;
    const double *x22 = x + h * x_row + h, *y22 = y + h * y_row + h;
    strassen_sums(x, x_row, y, y_row, s, m);
    SPAWN(, strassen(s, h, s + block, h, p, h, h, depth + 1));
    SPAWN(, strassen(s + 2 * block, h, y, y_row, p + block, h, h, depth + 1));
    SPAWN(, strassen(x, x_row, s + 3 * block, h, p + 2 * block, h, h, depth + 1));
    SPAWN(, strassen(x22, x_row, s + 4 * block, h, p + 3 * block, h, h, depth + 1));
    SPAWN(, strassen(s + 5 * block, h, y22, y_row, p + 4 * block, h, h, depth + 1));
    SPAWN(, strassen(s + 6 * block, h, s + 7 * block, h, p + 5 * block, h, h, depth + 1));
    SPAWN(, strassen(s + 8 * block, h, s + 9 * block, h, p + 6 * block, h, h, depth + 1));
#pragma omp taskwait
    strassen_result(p, z, z_row, m);
    free(room);
}

static double* numbers(long count) {
    double* room = malloc((size_t)count * sizeof *room);
    if (room == NULL) wrong("no memory for %ld numbers", count);
    return room;
}

static void prepare(long size) {
    uint64_t state = 2;
    for (n = base; n < size; n *= 2) {}
    a = numbers(n * n), b = numbers(n * n), c = numbers(n * n);
    vector = numbers(n), inner = numbers(n), left = numbers(n), right = numbers(n);
    for (long i = 0; i < n * n; i++) {
        a[i] = (double)(next_random(&state) >> 40) / (1 << 24) - 0.5;
        b[i] = (double)(next_random(&state) >> 40) / (1 << 24) - 0.5;
    }
    for (long i = 0; i < n; i++) vector[i] = (double)(next_random(&state) >> 40) / (1 << 24) - 0.5;
    apply(b, vector, inner, n);
    apply(a, inner, right, n);
}

static void run(void) { strassen(a, n, b, n, c, n, n, 0); }

// Freivalds' check: C v must equal A (B v).
static void check(void) {
    apply(c, vector, left, n);
    for (long i = 0; i < n; i++)
        if (fabs(left[i] - right[i]) > 1e-7 * (double)n) wrong("the product is off by %g in row %ld", left[i] - right[i], i);
}

int main(int argc, char** argv) {
    const struct Kernel kernel = {"strassen", 512, "rows of the matrices", 2, prepare, 0, run, check, 0};
    return run_kernel(argc, argv, &kernel);
}
