// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <complex.h>

extern long n;                 // numbers of the whole signal
extern double complex* roots;  // of one, that many

// In: the numbers in `x`, `stride` apart. Out: the transform of `count` of them in `y`.
void transform_serially(const double complex* x, long stride, double complex* y, long count);

// The part of a butterfly from `from` to `to`.
void butterfly_serially(double complex* y, long half, long from, long to, long step);
