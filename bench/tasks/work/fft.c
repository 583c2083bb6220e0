// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fft.h"

long n;
double complex* roots;

void butterfly_serially(double complex* y, long half, long from, long to, long step) {
    for (long k = from; k < to; k++) {
        const double complex even = y[k], odd = roots[k * step] * y[k + half];
        y[k] = even + odd;
        y[k + half] = even - odd;
    }
}

void transform_serially(const double complex* x, long stride, double complex* y, long count) {
    if (count == 1) {
        y[0] = x[0];
        return;
    }
    const long half = count / 2;
    transform_serially(x, 2 * stride, y, half);
    transform_serially(x + stride, 2 * stride, y + half, half);
    butterfly_serially(y, half, 0, half, n / count);
}
