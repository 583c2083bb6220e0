// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// LU factorisation of a sparse matrix of dense blocks, without pivoting: in each step a task for each block
// of the row, of the column and of the rest, with waits between. Blocks that fill in are made by the task
// that needs them. There is no depth to cut off: cut-off=1 makes tasks of whole rows of blocks.
#include "kernel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { b = 24 };  // rows of a block

static long n;  // blocks in a row
static double (**given)[b][b];
static double (**blocks)[b][b];
static double expected;

static double (*new_block(void))[b][b] {
    double(*block)[b][b] = calloc(1, sizeof *block);
    if (block == NULL) wrong("no memory for a block");
    return block;
}

static void factorise(double (*d)[b][b]) {
    for (int k = 0; k < b; k++)
        for (int i = k + 1; i < b; i++) {
            (*d)[i][k] /= (*d)[k][k];
            for (int j = k + 1; j < b; j++) (*d)[i][j] -= (*d)[i][k] * (*d)[k][j];
        }
}

static void forward(double (*d)[b][b], double (*row)[b][b]) {
    for (int k = 0; k < b; k++)
        for (int i = k + 1; i < b; i++)
            for (int j = 0; j < b; j++) (*row)[i][j] -= (*d)[i][k] * (*row)[k][j];
}

static void divide(double (*d)[b][b], double (*column)[b][b]) {
    for (int i = 0; i < b; i++)
        for (int k = 0; k < b; k++) {
            (*column)[i][k] /= (*d)[k][k];
            for (int j = k + 1; j < b; j++) (*column)[i][j] -= (*column)[i][k] * (*d)[k][j];
        }
}

static void update(double (*column)[b][b], double (*row)[b][b], double (**at)[b][b]) {
    if (*at == NULL) *at = new_block();
    for (int i = 0; i < b; i++)
        for (int k = 0; k < b; k++)
            for (int j = 0; j < b; j++) (**at)[i][j] -= (*column)[i][k] * (*row)[k][j];
}

static void update_row(long k, long i, long depth) {
    for (long j = k + 1; j < n; j++)
        if (blocks[k * n + j] != NULL)
            SPAWN(depth, firstprivate(i, j, k), update(blocks[i * n + k], blocks[k * n + j], &blocks[i * n + j]));
}

static void lu(void) {
    // With a cut-off of 1, rows are tasks and blocks are calls.
    const long inner = cut_off == 1 ? 1 : 0;
    for (long k = 0; k < n; k++) {
        factorise(blocks[k * n + k]);
        for (long j = k + 1; j < n; j++)
            if (blocks[k * n + j] != NULL) SPAWN(0, firstprivate(j, k), forward(blocks[k * n + k], blocks[k * n + j]));
        for (long i = k + 1; i < n; i++)
            if (blocks[i * n + k] != NULL) SPAWN(0, firstprivate(i, k), divide(blocks[k * n + k], blocks[i * n + k]));
        WAIT(0);
        for (long i = k + 1; i < n; i++) {
            if (blocks[i * n + k] == NULL) continue;
            if (inner)
                SPAWN(0, firstprivate(i, k, inner), update_row(k, i, inner));
            else
                update_row(k, i, 0);
        }
        WAIT(0);
    }
}

static double digest(void) {
    double sum = 0;
    for (long i = 0; i < n * n; i++)
        if (blocks[i] != NULL)
            for (int k = 0; k < b * b; k++) sum += (&(*blocks[i])[0][0])[k] * (double)(1 + (i + k) % 7);
    return sum;
}

static void reset(void) {
    for (long i = 0; i < n * n; i++) {
        if (given[i] == NULL) {
            free(blocks[i]);
            blocks[i] = NULL;
        } else {
            memcpy(blocks[i], given[i], sizeof *given[i]);
        }
    }
}

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
    const long asked = cut_off;
    cut_off = 0;
    reset();
    lu();
    expected = digest();
    cut_off = asked;
}

static void check(void) {
    const double sum = digest();
    if (fabs(sum - expected) > 1e-9 * fabs(expected)) wrong("the factors' digest is %g, not %g", sum, expected);
}

int main(int argc, char** argv) {
    const struct Kernel kernel = {"sparselu", 24, "blocks in a row", 1, prepare, reset, lu, check, 0};
    return run_kernel(argc, argv, &kernel);
}
