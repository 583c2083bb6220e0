// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

enum { base = 64, sums = 10, products = 7 };

// In `s`, one after the other: the ten sums of quarters of x and y, both m by m, that the seven products are made of.
void strassen_sums(const double* x, long x_row, const double* y, long y_row, double* s, long m);
// z, m by m, out of the seven products, which lie one after the other in `p`.
void strassen_result(const double* p, double* z, long z_row, long m);

// z = x y, all m by m, rows that many numbers apart.
void strassen_serially(const double* x, long x_row, const double* y, long y_row, double* z, long z_row, long m);

// y = matrix x, n by n.
void apply(const double* matrix, const double* x, double* y, long n);
