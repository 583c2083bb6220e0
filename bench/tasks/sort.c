// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Mergesort whose merges are split in two as well; runs of a few thousand are sorted by quicksort.
#include "kernel.h"

#include <stdlib.h>
#include <string.h>

enum { run_length = 2048, insertion = 20 };

static long n;
static uint32_t* given;
static uint32_t* values;
static uint32_t* scratch;
static uint64_t sum_given;

static void sort_run(uint32_t* a, long count) {
    while (count > insertion) {
        // The median of three, put in the middle, splits; the shorter part is sorted by a call.
        uint32_t x = a[0], y = a[count / 2], z = a[count - 1];
        const uint32_t pivot = x < y ? (y < z ? y : x < z ? z : x) : (x < z ? x : y < z ? z : y);
        long i = 0, j = count - 1;
        while (i <= j) {
            while (a[i] < pivot) i++;
            while (a[j] > pivot) j--;
            if (i <= j) {
                const uint32_t t = a[i];
                a[i++] = a[j];
                a[j--] = t;
            }
        }
        if (j + 1 < count - i) {
            sort_run(a, j + 1);
            a += i;
            count -= i;
        } else {
            sort_run(a + i, count - i);
            count = j + 1;
        }
    }
    for (long i = 1; i < count; i++) {
        const uint32_t x = a[i];
        long j = i;
        for (; j > 0 && a[j - 1] > x; j--) a[j] = a[j - 1];
        a[j] = x;
    }
}

static long first_not_below(const uint32_t* a, long count, uint32_t x) {
    long low = 0;
    while (count > 0) {
        const long half = count / 2;
        if (a[low + half] < x) {
            low += half + 1;
            count -= half + 1;
        } else {
            count = half;
        }
    }
    return low;
}

static void merge(const uint32_t* a, long a_count, const uint32_t* b, long b_count, uint32_t* to, long depth) {
    if (a_count < b_count) {
        merge(b, b_count, a, a_count, to, depth);
        return;
    }
    if (a_count + b_count <= run_length) {
        long i = 0, j = 0, k = 0;
        while (i < a_count && j < b_count) to[k++] = a[i] <= b[j] ? a[i++] : b[j++];
        memcpy(to + k, a + i, (size_t)(a_count - i) * sizeof *to);
        memcpy(to + k + a_count - i, b + j, (size_t)(b_count - j) * sizeof *to);
        return;
    }
    const long middle = a_count / 2, cut = first_not_below(b, b_count, a[middle]);
    SPAWN(depth, , merge(a, middle, b, cut, to, depth + 1));
    SPAWN(depth, , merge(a + middle, a_count - middle, b + cut, b_count - cut, to + middle + cut, depth + 1));
    WAIT(depth);
}

// Sorts `a`; `spare` is as long.
static void sort(uint32_t* a, uint32_t* spare, long count, long depth) {
    if (count <= run_length) {
        sort_run(a, count);
        return;
    }
    const long quarter = count / 4, half = 2 * quarter;
    SPAWN(depth, , sort(a, spare, quarter, depth + 1));
    SPAWN(depth, , sort(a + quarter, spare + quarter, quarter, depth + 1));
    SPAWN(depth, , sort(a + half, spare + half, quarter, depth + 1));
    SPAWN(depth, , sort(a + half + quarter, spare + half + quarter, count - half - quarter, depth + 1));
    WAIT(depth);
    SPAWN(depth, , merge(a, quarter, a + quarter, quarter, spare, depth + 1));
    SPAWN(depth, , merge(a + half, quarter, a + half + quarter, count - half - quarter, spare + half, depth + 1));
    WAIT(depth);
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
    uint64_t sum = values[0];
    bool ascending = true;
    for (long i = 1; i < n; i++) {
        ascending &= values[i - 1] <= values[i];
        sum += values[i];
    }
    if (!ascending || sum != sum_given) wrong("%ld numbers are not sorted", n);
}

int main(int argc, char** argv) {
    const struct Kernel kernel = {"sort", 1 << 20, "numbers", 5, prepare, reset, run, check, 0};
    return run_kernel(argc, argv, &kernel);
}
