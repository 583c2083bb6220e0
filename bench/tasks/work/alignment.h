// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

enum { longest = 300, letters = 20 };

extern long n;  // sequences
extern int* lengths;
extern signed char (*sequences)[longest];
extern int substitution[letters][letters];
extern int* scores;  // of each pair, n scores in each row

// The score of a pair.
int align(long i, long j);
void align_with_later(long i);
void align_serially(void);

long total(void);
