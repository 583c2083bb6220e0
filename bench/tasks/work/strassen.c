// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "strassen.h"

#include <stdlib.h>

#include "../../measure.h"

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

void strassen_sums(const double* x, long x_row, const double* y, long y_row, double* s, long m) {
    const long h = m / 2, block = h * h;
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
}

void strassen_result(const double* p, double* z, long z_row, long m) {
    const long h = m / 2, block = h * h;
    for (long i = 0; i < h; i++)
        for (long j = 0; j < h; j++) {
            const double* q = p + i * h + j;
            z[i * z_row + j] = q[0] + q[3 * block] - q[4 * block] + q[6 * block];
            z[i * z_row + j + h] = q[2 * block] + q[4 * block];
            z[(i + h) * z_row + j] = q[block] + q[3 * block];
            z[(i + h) * z_row + j + h] = q[0] - q[block] + q[2 * block] + q[5 * block];
        }
}

void strassen_serially(const double* x, long x_row, const double* y, long y_row, double* z, long z_row, long m) {
    if (m <= base) {
        multiply(x, x_row, y, y_row, z, z_row);
        return;
    }
    const long h = m / 2, block = h * h;
    double* room = malloc((size_t)((sums + products) * block) * sizeof *room);
    if (room == NULL) wrong("no memory for a product of %ld by %ld", m, m);
    double *s = room, *p = room + sums * block;
    strassen_sums(x, x_row, y, y_row, s, m);
    strassen_serially(s, h, s + block, h, p, h, h);
    strassen_serially(s + 2 * block, h, y, y_row, p + block, h, h);
    strassen_serially(x, x_row, s + 3 * block, h, p + 2 * block, h, h);
    strassen_serially(x + h * x_row + h, x_row, s + 4 * block, h, p + 3 * block, h, h);
    strassen_serially(s + 5 * block, h, y + h * y_row + h, y_row, p + 4 * block, h, h);
    strassen_serially(s + 6 * block, h, s + 7 * block, h, p + 5 * block, h, h);
    strassen_serially(s + 8 * block, h, s + 9 * block, h, p + 6 * block, h, h);
    strassen_result(p, z, z_row, m);
    free(room);
}

void apply(const double* matrix, const double* x, double* y, long n) {
    for (long i = 0; i < n; i++) {
        y[i] = 0;
        for (long j = 0; j < n; j++) y[i] += matrix[i * n + j] * x[j];
    }
}
