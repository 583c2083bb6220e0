// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scores of the best local alignments (affine gaps) of every pair of a set of sequences of unequal length: one
// task for each pair, or, with a cut-off, one task for each sequence against all later sequences.
#include "work/alignment.h"
#include "kernel.h"

#include <stdlib.h>

static long expected;

static void run(void) {
    if (cut_off == 0) {
        align_serially();
        return;
    }
    for (long i = 0; i < n; i++) {
        if (cut_off == 1) {
            SPAWN(firstprivate(i), align_with_later(i));
            continue;
        }
        for (long j = i + 1; j < n; j++) SPAWN(firstprivate(i, j), scores[i * n + j] = align(i, j));
    }
#pragma omp taskwait
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
    align_serially();
    expected = total();
}

static void check(void) {
    if (total() != expected) wrong("the scores sum to %ld, not %ld", total(), expected);
}

int main(int argc, char** argv) {
    const struct Kernel kernel = {"alignment", 24, "sequences", 1, prepare, 0, run, check, 0};
    return run_kernel(argc, argv, &kernel);
}
