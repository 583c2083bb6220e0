// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

enum { base = 64, sums = 10, products = 7 };

// Puts into `s`, one after the other, the ten sums of quarters of x and y, both m by m, for the seven products.
void strassen_sums(const double* x, long x_row, const double* y, long y_row, double* s, long m);
// Computes z, m by m, from the seven products, which lie one after the other in `p`.
void strassen_result(const double* p, double* z, long z_row, long m);

// z = x y, all m by m; x_row, y_row and z_row are the distances of rows.
void strassen_serially(const double* x, long x_row, const double* y, long y_row, double* z, long z_row, long m);

// y = matrix x, n by n.
void apply(const double* matrix, const double* x, double* y, long n);
