// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <complex.h>

extern long n;                 // length of the whole signal
extern double complex* roots;  // the n-th roots of one

// Transforms `count` numbers of `x`, which are `stride` apart, into `y`.
void transform_serially(const double complex* x, long stride, double complex* y, long count);

// Computes the butterfly's part from `from` to `to`.
void butterfly_serially(double complex* y, long half, long from, long to, long step);
