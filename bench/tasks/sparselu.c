// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// LU factorisation of a sparse matrix of dense blocks, without pivoting: in each step a task for each block
// of the row, of the column and of the rest, with waits between. A task that needs a
// fill-in block makes it. The kernel has no depth to cut off: cut-off=1 makes tasks of whole rows of blocks.
#include "work/sparselu.h"
#include "kernel.h"

#include <math.h>
#include <stdlib.h>

static double (**given)[b][b];
static double expected;

static void lu(void) {
    if (cut_off == 0) {
        lu_serially();
        return;
    }
    const bool rows = cut_off == 1;
    for (long k = 0; k < n; k++) {
        factorise(blocks[k * n + k]);
        for (long j = k + 1; j < n; j++)
            if (blocks[k * n + j] != NULL) SPAWN(firstprivate(j, k), forward(blocks[k * n + k], blocks[k * n + j]));
        for (long i = k + 1; i < n; i++)
            if (blocks[i * n + k] != NULL) SPAWN(firstprivate(i, k), divide(blocks[k * n + k], blocks[i * n + k]));
#pragma omp taskwait
        for (long i = k + 1; i < n; i++) {
            if (blocks[i * n + k] == NULL) continue;
            if (rows) {
                SPAWN(firstprivate(i, k), update_row(k, i));
                continue;
            }
            for (long j = k + 1; j < n; j++)
                if (blocks[k * n + j] != NULL)
                    SPAWN(firstprivate(i, j, k), update(blocks[i * n + k], blocks[k * n + j], &blocks[i * n + j]));
        }
#pragma omp taskwait
    }
}

static void reset(void) { restore(given); }

static void prepare(long size) {
    uint64_t state = 4;
    n = size;
    given = calloc((size_t)(n * n), sizeof *given);
    blocks = calloc((size_t)(n * n), sizeof *blocks);
    if (given == NULL || blocks == NULL) wrong("no memory for %ld by %ld blocks", n, n);
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++) {
            const bool there = i == j || i + 1 == j || i == j + 1 || next_random(&state) % 5 == 0;
            if (!there) continue;
            given[i * n + j] = new_block();
            blocks[i * n + j] = new_block();
            for (int r = 0; r < b; r++)
                for (int c = 0; c < b; c++)
                    (*given[i * n + j])[r][c] =
                        (double)(next_random(&state) >> 40) / (1 << 24) + (i == j && r == c ? 4.0 * b * (double)n : 0);
        }
    reset();
    lu_serially();
    expected = digest();
}

static void check(void) {
    const double sum = digest();
    if (fabs(sum - expected) > 1e-9 * fabs(expected)) wrong("the factors' digest is %g, not %g", sum, expected);
}

int main(int argc, char** argv) {
    const struct Kernel kernel = {"sparselu", 24, "blocks in a row", 1, prepare, reset, lu, check, 0};
    return run_kernel(argc, argv, &kernel);
}
