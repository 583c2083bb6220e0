// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sort.h"

#include <string.h>

enum { insertion = 20 };

long first_not_below(const uint32_t* a, long count, uint32_t x) {
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

void merge_serially(const uint32_t* a, long a_count, const uint32_t* b, long b_count, uint32_t* to) {
    if (a_count < b_count) {
        merge_serially(b, b_count, a, a_count, to);
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
    merge_serially(a, middle, b, cut, to);
    merge_serially(a + middle, a_count - middle, b + cut, b_count - cut, to + middle + cut);
}

static void sort_run(uint32_t* a, long count) {
    while (count > insertion) {
        // The median of three, in the middle, splits the numbers; a recursive call sorts the shorter part.
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

void sort_serially(uint32_t* a, uint32_t* spare, long count) {
    if (count <= run_length) {
        sort_run(a, count);
        return;
    }
    const long quarter = count / 4, half = 2 * quarter;
    sort_serially(a, spare, quarter);
    sort_serially(a + quarter, spare + quarter, quarter);
    sort_serially(a + half, spare + half, quarter);
    sort_serially(a + half + quarter, spare + half + quarter, count - half - quarter);
    merge_serially(a, quarter, a + quarter, quarter, spare);
    merge_serially(a + half, quarter, a + half + quarter, count - half - quarter, spare + half);
    merge_serially(spare, half, spare + half, count - half, a);
}

bool ascends(const uint32_t* a, long count, uint64_t* sum) {
    bool ascending = true;
    *sum = a[0];
    for (long i = 1; i < count; i++) {
        ascending &= a[i - 1] <= a[i];
        *sum += a[i];
    }
    return ascending;
}
