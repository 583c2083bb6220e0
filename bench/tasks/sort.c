// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Mergesort whose merges also split into two tasks; quicksort sorts runs of a few thousand.
#include "work/sort.h"
#include "kernel.h"

#include <stdlib.h>
#include <string.h>

static long n;
static uint32_t* given;
static uint32_t* values;
static uint32_t* scratch;
static uint64_t sum_given;

static void merge(const uint32_t* a, long a_count, const uint32_t* b, long b_count, uint32_t* to, long depth) {
    if (depth >= cut_off || a_count + b_count <= run_length) {
        merge_serially(a, a_count, b, b_count, to);
        return;
    }
    if (a_count < b_count) {
        merge(b, b_count, a, a_count, to, depth);
        return;
    }
    const long middle = a_count / 2, cut = first_not_below(b, b_count, a[middle]);
    SPAWN(, merge(a, middle, b, cut, to, depth + 1));
    SPAWN(, merge(a + middle, a_count - middle, b + cut, b_count - cut, to + middle + cut, depth + 1));
#pragma omp taskwait
}

// Sorts `a`; `spare` has the same length.
static void sort(uint32_t* a, uint32_t* spare, long count, long depth) {
    if (depth >= cut_off || count <= run_length) {
        sort_serially(a, spare, count);
        return;
    }
    const long quarter = count / 4, half = 2 * quarter;
    SPAWN(, sort(a, spare, quarter, depth + 1));
    SPAWN(, sort(a + quarter, spare + quarter, quarter, depth + 1));
    SPAWN(, sort(a + half, spare + half, quarter, depth + 1));
    SPAWN(, sort(a + half + quarter, spare + half + quarter, count - half - quarter, depth + 1));
#pragma omp taskwait
    SPAWN(, merge(a, quarter, a + quarter, quarter, spare, depth + 1));
    SPAWN(, merge(a + half, quarter, a + half + quarter, count - half - quarter, spare + half, depth + 1));
#pragma omp taskwait
    merge(spare, half, spare + half, count - half, a, depth);
}

static void prepare(long size) {
    uint64_t state = 1;
    n = size;
    given = malloc((size_t)n * sizeof *given);
    values = malloc((size_t)n * sizeof *values);
    scratch = malloc((size_t)n * sizeof *scratch);
    if (given == NULL || values == NULL || scratch == NULL) wrong("no memory for %ld numbers", n);
    for (long i = 0; i < n; i++) sum_given += given[i] = (uint32_t)next_random(&state);
}

static void reset(void) { memcpy(values, given, (size_t)n * sizeof *values); }

static void run(void) { sort(values, scratch, n, 0); }

static void check(void) {
    uint64_t sum;
    if (!ascends(values, n, &sum) || sum != sum_given) wrong("%ld numbers are not sorted", n);
}

int main(int argc, char** argv) {
    const struct Kernel kernel = {"sort", 1 << 20, "numbers", 5, prepare, reset, run, check, 0};
    return run_kernel(argc, argv, &kernel);
}
