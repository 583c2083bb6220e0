// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

enum { b = 24 };  // rows of a block

extern long n;                   // blocks in a row
extern double (**blocks)[b][b];  // a null block is all zeros

double (*new_block(void))[b][b];

void factorise(double (*d)[b][b]);
void forward(double (*d)[b][b], double (*row)[b][b]);
void divide(double (*d)[b][b], double (*column)[b][b]);
void update(double (*column)[b][b], double (*row)[b][b], double (**at)[b][b]);

// Does step k for the blocks of row i.
void update_row(long k, long i);
void lu_serially(void);

// Sets the blocks to copies of the given blocks.
void restore(double (**given)[b][b]);
double digest(void);
