// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Hundreds of nested regions of random widths, with a random construct in each.
// test: reps 4
#include "check.h"

static unsigned next_random(unsigned* state) {
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

static int narrower(int most) { return most > 1 ? most - 1 : 1; }

// Opens random regions below `depth` and returns the number of threads that ran in the innermost ones.
static long random_regions(unsigned seed, int depth, int most) {
    unsigned state = seed;
    int width = 1 + (int)(next_random(&state) % (unsigned)most), kind = (int)(next_random(&state) % 6);
    long ran = 0, tickets = 0;
#pragma omp parallel num_threads(width) reduction(+ : ran)
    {
        unsigned mine = seed * 31u + (unsigned)omp_get_thread_num();
        EXPECT_EQ(omp_get_num_threads(), width);
        if (kind == 0) {
#pragma omp barrier
        } else if (kind == 1) {
#pragma omp for schedule(dynamic)
            for (int i = 0; i < 7; ++i) {
#pragma omp atomic
                tickets++;
            }
            EXPECT_EQ(tickets, 7);
        } else if (kind == 2) {
#pragma omp single
            tickets = 5;
            EXPECT_EQ(tickets, 5);
        } else if (kind == 3) {
#pragma omp critical(random_regions)
            tickets++;
        }
        ran += depth > 1 ? random_regions(mine, depth - 1, narrower(most)) : 1;
        if (kind == 4) {
#pragma omp barrier
        }
    }
    if (kind == 3) EXPECT_EQ(tickets, width);
    return ran;
}

// The result of random_regions(), computed without threads.
static long expected(unsigned seed, int depth, int most) {
    unsigned state = seed;
    int width = 1 + (int)(next_random(&state) % (unsigned)most);
    long sum = 0;
    for (int thread = 0; thread < width; ++thread)
        sum += depth > 1 ? expected(seed * 31u + (unsigned)thread, depth - 1, narrower(most)) : 1;
    return sum;
}

static void two_deep(int width) {
    for (unsigned seed = 1; seed <= 100; ++seed)
        EXPECT_EQ(random_regions(seed * 977u, 2, width + 1), expected(seed * 977u, 2, width + 1));
}

static void four_deep(int width) {
    int most = width < 5 ? width + 1 : 5;
    for (unsigned seed = 1; seed <= 20; ++seed)
        EXPECT_EQ(random_regions(seed * 7919u, 4, most + 1), expected(seed * 7919u, 4, most + 1));
}

int main(void) {
    check_share("two-deep", two_deep, 4);
    check_share("four-deep", four_deep, 4);
    return check_done();
}
