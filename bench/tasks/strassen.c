// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Strassen's matrix multiplication: seven products of half the size, a task each, down to blocks multiplied
// plainly.
#include "kernel.h"

#include <math.h>
#include <stdlib.h>

enum { base = 64 };

static long n;
static double *a, *b, *c;
static double *vector, *inner, *left, *right;

static void multiply(const double* x, long x_row, const double* y, long y_row, double* z, long z_row) {
    for (long i = 0; i < base; i++) {
        for (long j = 0; j < base; j++) z[i * z_row + j] = 0;
        for (long k = 0; k < base; k++) {
            const double factor = x[i * x_row + k];
            for (long j = 0; j < base; j++) z[i * z_row + j] += factor * y[k * y_row + j];
        }
    }
}

static void combine(const double* x, long x_row, double sign, const double* y, long y_row, double* z, long m) {
    for (long i = 0; i < m; i++)
        for (long j = 0; j < m; j++) z[i * m + j] = x[i * x_row + j] + sign * y[i * y_row + j];
}

// z = x y, all m by m, rows that many numbers apart.
static void strassen(const double* x, long x_row, const double* y, long y_row, double* z, long z_row, long m, long depth) {
    if (m <= base) {
        multiply(x, x_row, y, y_row, z, z_row);
        return;
    }
    const long h = m / 2, block = h * h;
    double* room = malloc((size_t)(17 * block) * sizeof *room);
    if (room == NULL) wrong("no memory for a product of %ld by %ld", m, m);
    double *s = room, *p = room + 10 * block;
    const double *x11 = x, *x12 = x + h, *x21 = x + h * x_row, *x22 = x21 + h;
    const double *y11 = y, *y12 = y + h, *y21 = y + h * y_row, *y22 = y21 + h;
    combine(x11, x_row, 1, x22, x_row, s, h);
    combine(y11, y_row, 1, y22, y_row, s + block, h);
    combine(x21, x_row, 1, x22, x_row, s + 2 * block, h);
    combine(y12, y_row, -1, y22, y_row, s + 3 * block, h);
    combine(y21, y_row, -1, y11, y_row, s + 4 * block, h);
    combine(x11, x_row, 1, x12, x_row, s + 5 * block, h);
    combine(x21, x_row, -1, x11, x_row, s + 6 * block, h);
    combine(y11, y_row, 1, y12, y_row, s + 7 * block, h);
    combine(x12, x_row, -1, x22, x_row, s + 8 * block, h);
    combine(y21, y_row, 1, y22, y_row, s + 9 * block, h);
    SPAWN(depth, , strassen(s, h, s + block, h, p, h, h, depth + 1));
    SPAWN(depth, , strassen(s + 2 * block, h, y11, y_row, p + block, h, h, depth + 1));
    SPAWN(depth, , strassen(x11, x_row, s + 3 * block, h, p + 2 * block, h, h, depth + 1));
    SPAWN(depth, , strassen(x22, x_row, s + 4 * block, h, p + 3 * block, h, h, depth + 1));
    SPAWN(depth, , strassen(s + 5 * block, h, y22, y_row, p + 4 * block, h, h, depth + 1));
    SPAWN(depth, , strassen(s + 6 * block, h, s + 7 * block, h, p + 5 * block, h, h, depth + 1));
    SPAWN(depth, , strassen(s + 8 * block, h, s + 9 * block, h, p + 6 * block, h, h, depth + 1));
    WAIT(depth);
    for (long i = 0; i < h; i++)
        for (long j = 0; j < h; j++) {
            const double* q = p + i * h + j;
            z[i * z_row + j] = q[0] + q[3 * block] - q[4 * block] + q[6 * block];
            z[i * z_row + j + h] = q[2 * block] + q[4 * block];
            z[(i + h) * z_row + j] = q[block] + q[3 * block];
            z[(i + h) * z_row + j + h] = q[0] - q[block] + q[2 * block] + q[5 * block];
        }
    free(room);
}

static double* numbers(long count) {
    double* room = malloc((size_t)count * sizeof *room);
    if (room == NULL) wrong("no memory for %ld numbers", count);
    return room;
}

static void times(const double* matrix, const double* x, double* y) {
    for (long i = 0; i < n; i++) {
        y[i] = 0;
        for (long j = 0; j < n; j++) y[i] += matrix[i * n + j] * x[j];
    }
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
    times(b, vector, inner);
    times(a, inner, right);
}

static void run(void) { strassen(a, n, b, n, c, n, n, 0); }

// Freivalds: C v must be A (B v).
static void check(void) {
    times(c, vector, left);
    for (long i = 0; i < n; i++)
        if (fabs(left[i] - right[i]) > 1e-7 * (double)n) wrong("the product is off by %g in row %ld", left[i] - right[i], i);
}

int main(int argc, char** argv) {
    const struct Kernel kernel = {"strassen", 512, "rows of the matrices", 2, prepare, 0, run, check, 0};
    return run_kernel(argc, argv, &kernel);
}
