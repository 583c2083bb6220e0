// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Depth and size: a chain of 100,000 dependent tasks, tasks that wait 1,000 deep, undeferred and final tasks
// nested deep, a megabyte of locals in each task, large and oddly aligned firstprivates.
//
// test: reps 10
// test: env OMP_STACKSIZE=8M
#include <stdint.h>
#include "check.h"

static void chain_of_dependences(int width) {
    int count = 0;
#pragma omp parallel num_threads(width)
    {
#pragma omp single
        for (int i = 0; i < 100000; ++i) {
#pragma omp task depend(inout : count) shared(count)
            count++;
        }
    }
    EXPECT_EQ(count, 100000);
}

static int wait_deep(int left) {
    int below = 0;
    if (left == 0) return 1;
#pragma omp task shared(below)
    below = wait_deep(left - 1);
#pragma omp taskwait
    return below + 1;
}

static void waits_in_waits(int width) {
    int depth = 0;
#pragma omp parallel num_threads(width)
    {
#pragma omp single
        depth = wait_deep(1000);
    }
    EXPECT_EQ(depth, 1001);
}

static int groups_deep(int left) {
    int below = 0;
    if (left == 0) return 1;
#pragma omp taskgroup
    {
#pragma omp task shared(below)
        below = groups_deep(left - 1);
    }
    return below + 1;
}

static void groups_in_groups(int width) {
    int depth = 0;
#pragma omp parallel num_threads(width)
    {
#pragma omp single
        depth = groups_deep(500);
    }
    EXPECT_EQ(depth, 501);
}

static int undeferred_deep(int left) {
    int below = 0;
    if (left == 0) return 1;
#pragma omp task shared(below) if (0)
    below = undeferred_deep(left - 1);
    return below + 1;
}

static int final_deep(int left) {
    int below = 0;
    if (left == 0) return omp_in_final();
#pragma omp task shared(below) final(left < 900)
    below = final_deep(left - 1);
#pragma omp taskwait
    return below + 1;
}

static void undeferred_in_undeferred(int width) {
    int depth = 0, final = 0;
#pragma omp parallel num_threads(width)
    {
#pragma omp single
        {
            depth = undeferred_deep(1000);
            final = final_deep(1000);
        }
    }
    EXPECT_EQ(depth, 1001);
    EXPECT_EQ(final, 1001);
}

static unsigned megabyte(unsigned seed) {
    volatile unsigned char locals[1 << 20];
    unsigned sum = 0;
    for (unsigned i = 0; i < sizeof locals; i += 512) locals[i] = (unsigned char)(seed + i / 512);
#pragma omp taskyield
    for (unsigned i = 0; i < sizeof locals; i += 512) sum += locals[i];
    return sum;
}

static unsigned expected_megabyte(unsigned seed) {
    unsigned sum = 0;
    for (unsigned i = 0; i < (1 << 20) / 512; ++i) sum += (unsigned char)(seed + i);
    return sum;
}

static void a_megabyte_of_locals(int width) {
    int wrong = 0;
#pragma omp parallel num_threads(width)
    {
#pragma omp single
        for (unsigned i = 0; i < 8; ++i) {
#pragma omp task firstprivate(i) shared(wrong)
            {
                unsigned child = 0, mine = megabyte(i);
#pragma omp task shared(child) firstprivate(i)
                child = megabyte(i + 100);
#pragma omp taskwait
                if (mine != expected_megabyte(i) || child != expected_megabyte(i + 100)) {
#pragma omp atomic
                    wrong++;
                }
            }
        }
    }
    EXPECT_EQ(wrong, 0);
}

typedef struct {
    _Alignas(64) double values[8];
} Aligned;

typedef struct {
    unsigned char bytes[50000];
} Large;

static void large_and_aligned(int width) {
    Large large;
    Aligned aligned;
    int wrong = 0;
    for (unsigned i = 0; i < sizeof large.bytes; ++i) large.bytes[i] = (unsigned char)(i % 251);
    for (int i = 0; i < 8; ++i) aligned.values[i] = i;
#pragma omp parallel num_threads(width)
    {
#pragma omp single
        for (int round = 0; round < 6; ++round) {
            char odd[13] = "twelve chars";
#pragma omp task firstprivate(odd, large, round) shared(wrong)
            {
                int bad = strcmp(odd, "twelve chars") != 0;
                for (unsigned i = 0; i < sizeof large.bytes; ++i) bad += large.bytes[i] != i % 251;
                large.bytes[round] = 255;
#pragma omp atomic
                wrong += bad;
            }
#pragma omp task firstprivate(aligned) shared(wrong)
            {
                int bad = (uintptr_t)&aligned % 64 != 0;
                for (int i = 0; i < 8; ++i) bad += aligned.values[i] != i;
#pragma omp atomic
                wrong += bad;
            }
        }
    }
    EXPECT_EQ(wrong, 0);
}

int main(void) {
    check_share("chain-of-dependences", chain_of_dependences, 20);
    check_share("waits-in-waits", waits_in_waits, 5);
    check_share("groups-in-groups", groups_in_groups, 5);
    check_share("undeferred-in-undeferred", undeferred_in_undeferred, 5);
    check_share("a-megabyte-of-locals", a_megabyte_of_locals, 5);
    check("large-and-aligned", large_and_aligned);
    return check_done();
}
