// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scores of the best local alignments (affine gaps) of every two out of a set of sequences of unequal length:
// one task a pair, or, with a cut-off, one for each sequence against all later ones.
#include "kernel.h"

#include <stdlib.h>

enum { longest = 300, letters = 20, gap_open = 10, gap_extend = 1 };

static long n;
static int* lengths;
static signed char (*sequences)[longest];
static int* scores;
static int substitution[letters][letters];
static long expected;

static int align(long i, long j) {
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

static void align_with_later(long i, long depth) {
    for (long j = i + 1; j < n; j++) SPAWN(depth, firstprivate(i, j), scores[i * n + j] = align(i, j));
}

static void run(void) {
    for (long i = 0; i < n; i++) {
        if (cut_off == 1)
            SPAWN(0, firstprivate(i), align_with_later(i, 1));
        else
            align_with_later(i, 0);
    }
    WAIT(0);
}

static long total(void) {
    long sum = 0;
    for (long i = 0; i < n; i++)
        for (long j = i + 1; j < n; j++) sum += scores[i * n + j] * (1 + (i + j) % 5);
    return sum;
}

static void prepare(long size) {
    uint64_t state = 5;
    n = size;
    lengths = malloc((size_t)n * sizeof *lengths);
    sequences = malloc((size_t)n * sizeof *sequences);
    scores = calloc((size_t)(n * n), sizeof *scores);
    if (lengths == NULL || sequences == NULL || scores == NULL) wrong("no memory for %ld sequences", n);
    for (int i = 0; i < letters; i++)
        for (int j = i; j < letters; j++)
            substitution[i][j] = substitution[j][i] = i == j ? 6 : (int)(next_random(&state) % 6) - 4;
    for (long i = 0; i < n; i++) {
        lengths[i] = 20 + (int)(next_random(&state) % (longest - 20));
        for (int k = 0; k < lengths[i]; k++) sequences[i][k] = (signed char)(next_random(&state) % letters);
    }
    const long asked = cut_off;
    cut_off = 0;
    run();
    expected = total();
    cut_off = asked;
}

static void check(void) {
    if (total() != expected) wrong("the scores sum to %ld, not %ld", total(), expected);
}

int main(int argc, char** argv) {
    const struct Kernel kernel = {"alignment", 24, "sequences", 1, prepare, 0, run, check, 0};
    return run_kernel(argc, argv, &kernel);
}
