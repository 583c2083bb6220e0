// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// nowait: a thread may be many constructs ahead of its siblings, and the constructs' states must not
// mix.
#include "check.h"

enum { constructs = 40, iterations = 12 };

static void dynamic_chain(int width) {
    int hits[constructs][iterations];
    memset(hits, 0, sizeof hits);
#pragma omp parallel num_threads(width)
    for (int c = 0; c < constructs; ++c) {
#pragma omp for schedule(dynamic, 1) nowait
        for (int i = 0; i < iterations; ++i) {
#pragma omp atomic
            hits[c][i]++;
        }
    }
    for (int c = 0; c < constructs; ++c)
        for (int i = 0; i < iterations; ++i) EXPECT_EQ(hits[c][i], 1);
}

// Each thread begins the chain after a different delay, so that some threads are whole constructs ahead.
static void staggered(int width) {
    int hits[constructs][iterations];
    memset(hits, 0, sizeof hits);
#pragma omp parallel num_threads(width)
    {
        volatile long delay = 20000L * omp_get_thread_num();
        while (delay > 0) delay = delay - 1;
        for (int c = 0; c < constructs; ++c) {
#pragma omp for schedule(guided) nowait
            for (int i = 0; i < iterations; ++i) {
#pragma omp atomic
                hits[c][i]++;
            }
        }
    }
    for (int c = 0; c < constructs; ++c)
        for (int i = 0; i < iterations; ++i) EXPECT_EQ(hits[c][i], 1);
}

static void mixed_chain(int width) {
    long total = 0;
#pragma omp parallel num_threads(width)
    {
        long mine = 0;
        for (int c = 0; c < 10; ++c) {
#pragma omp for schedule(dynamic, 2) nowait
            for (int i = 0; i < 10; ++i) mine += 1;
#pragma omp single nowait
            mine += 100;
#pragma omp for schedule(static) nowait
            for (int i = 0; i < 10; ++i) mine += 1;
#pragma omp sections nowait
            {
#pragma omp section
                mine += 1000;
#pragma omp section
                mine += 1000;
            }
#pragma omp for schedule(guided) nowait
            for (unsigned long long i = 5; i < 15; ++i) mine += 1;
#pragma omp for schedule(runtime) nowait
            for (int i = 0; i < 10; ++i) mine += 1;
        }
#pragma omp atomic
        total += mine;
    }
    EXPECT_EQ(total, 10 * (40 + 100 + 2000));
}

static void dependent_static(int width) {
    int a[500];
#pragma omp parallel num_threads(width)
    {
#pragma omp for schedule(static) nowait
        for (int i = 0; i < 500; ++i) a[i] = i;
#pragma omp for schedule(static) nowait
        for (int i = 0; i < 500; ++i) a[i] *= 2;
#pragma omp for schedule(static) nowait
        for (int i = 0; i < 500; ++i) a[i] += 1;
    }
    for (int i = 0; i < 500; ++i) EXPECT_EQ(a[i], 2 * i + 1);
}

static void across_regions(int width) {
    for (int region = 0; region < 5; ++region) {
        int sum = 0;
#pragma omp parallel num_threads(width) reduction(+ : sum)
        for (int c = 0; c <= region; ++c) {
#pragma omp for schedule(dynamic) nowait
            for (int i = 0; i < 9; ++i) sum += i;
        }
        EXPECT_EQ(sum, 36 * (region + 1));
    }
}

int main(void) {
    check("dynamic-chain", dynamic_chain);
    check("staggered", staggered);
    check("mixed-chain", mixed_chain);
    check("dependent-static", dependent_static);
    check("across-regions", across_regions);
    return check_done();
}
