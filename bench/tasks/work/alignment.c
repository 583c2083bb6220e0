// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "alignment.h"

enum { gap_open = 10, gap_extend = 1 };

long n;
int* lengths;
signed char (*sequences)[longest];
int substitution[letters][letters];
int* scores;

int align(long i, long j) {
    int best_row[longest + 1] = {0}, gap_row[longest + 1], best = 0;
    for (int k = 0; k <= longest; k++) gap_row[k] = -1000000;
    for (int y = 0; y < lengths[i]; y++) {
        int diagonal = 0, left = 0, gap = -1000000;
        for (int x = 1; x <= lengths[j]; x++) {
            const int up = best_row[x];
            gap = left - gap_open > gap - gap_extend ? left - gap_open : gap - gap_extend;
            gap_row[x] = up - gap_open > gap_row[x] - gap_extend ? up - gap_open : gap_row[x] - gap_extend;
            int score = diagonal + substitution[sequences[i][y]][sequences[j][x - 1]];
            score = score < 0 ? 0 : score;
            score = score < gap ? gap : score;
            score = score < gap_row[x] ? gap_row[x] : score;
            best = best < score ? score : best;
            diagonal = up;
            left = best_row[x] = score;
        }
    }
    return best;
}

void align_with_later(long i) {
    for (long j = i + 1; j < n; j++) scores[i * n + j] = align(i, j);
}

void align_serially(void) {
    for (long i = 0; i < n; i++) align_with_later(i);
}

long total(void) {
    long sum = 0;
    for (long i = 0; i < n; i++)
        for (long j = i + 1; j < n; j++) sum += scores[i * n + j] * (1 + (i + j) % 5);
    return sum;
}
