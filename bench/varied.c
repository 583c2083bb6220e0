// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Regions that differ from one another, as those of a program mostly do: a runtime that only keeps the last region's threads
// ready makes new ones all the time. Three kinds of pass: eight flat regions of 2 to 8 threads; four nested shapes in turn; and
// 16 trees of regions of random width, up to three deep, which are the same in each pass.
#include "measure.h"

#include <stdatomic.h>
#include <stddef.h>

enum { deepest = 3, widest = 8, trees = 16 };

static void flat(void* null) {
    static const int widths[] = {2, 5, 3, 8, 4, 7, 2, 6};
    (void)null;
    for (int i = 0; i < 8; i++) {
#pragma omp parallel num_threads(widths[i])
        empty(i, 0);
    }
}

static void shapes(void* null) {
    static const int shape[][2] = {{4, 3}, {2, 5}, {8, 2}, {3, 8}};
    (void)null;
    for (int i = 0; i < 4; i++) {
#pragma omp parallel num_threads(shape[i][0])
        {
#pragma omp parallel num_threads(shape[i][1])
            empty(i, 0);
        }
    }
}

static unsigned next(unsigned* state) {
    *state = *state * 1664525 + 1013904223;
    return *state >> 16;
}

static atomic_long* threads_counted;

// About every second thread opens a nested region.
static void nest(int depth, unsigned seed) {
    const int width = 1 + (int)(next(&seed) % widest);
    const unsigned step = next(&seed);
#pragma omp parallel for num_threads(width)
    for (int i = 0; i < width; i++) {
        unsigned mine = seed + step * (unsigned)i;
        if (threads_counted != NULL) atomic_fetch_add(threads_counted, 1);
        if (depth < deepest && next(&mine) % 2 == 0)
            nest(depth + 1, mine);
        else
            empty(depth, i);
    }
}

static void random_trees(void* null) {
    (void)null;
    for (unsigned tree = 0; tree < trees; tree++) nest(1, 9176 * tree);
}

// How many threads the regions of a pass have in all.
static long count_threads(void) {
    atomic_long threads = 0;
    threads_counted = &threads;
    random_trees(NULL);
    threads_counted = NULL;
    return threads;
}

static void print(const char* kind, struct Timing timing, long threads) {
    json_open("varied");
    json_text("construct", kind);
    if (threads != 0) json_number("threads", (double)threads);
    json_timing(&timing);
    json_close();
}

int main(int argc, char** argv) {
    const struct Budget budget = read_options(argc, argv, (struct Option*)0, 0);
    print("eight flat", measure(flat, NULL, &budget), 0);
    print("four nested", measure(shapes, NULL, &budget), 0);
    const long threads = count_threads();
    print("16 random trees", measure(random_trees, NULL, &budget), threads);
    if (count_threads() != threads) wrong("two passes over the same trees had different threads");
    return 0;
}
