// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// untied: locals survive every scheduling point, whichever thread goes on; children tied and untied,
// recursion, waiting for dependences and groups.
//
// libomp 19 miscounts untied tasks that pass a scheduling point with children, and hangs or fails an assertion:
// test: peer-skip clang recursion locals groups undeferred
#include "check.h"

static long sum_tree(int depth, long value) {
    long left = 0, right = 0;
    if (depth == 0) return value;
#pragma omp task untied shared(left) firstprivate(depth, value)
    {
        long before = value * 3;
#pragma omp taskyield
        left = sum_tree(depth - 1, 2 * value);
#pragma omp taskyield
        left += before - value * 3;
    }
#pragma omp task shared(right) firstprivate(depth, value)
    right = sum_tree(depth - 1, 2 * value + 1);
#pragma omp taskwait
    return left + right;
}

static void recursion(int width) {
    long sum = 0;
#pragma omp parallel num_threads(width)
    {
#pragma omp single
        sum = sum_tree(6, 1);
    }
    EXPECT_EQ(sum, (64 + 127) * 64 / 2);
}

static void locals(int width) {
    int wrong = 0, count = 0;
#pragma omp parallel num_threads(width)
    {
#pragma omp single
        for (int i = 0; i < 12; ++i) {
#pragma omp task untied firstprivate(i) shared(wrong, count)
            {
                int squares[16], child = 0;
                for (int k = 0; k < 16; ++k) squares[k] = i * k * k;
#pragma omp taskyield
                for (int k = 0; k < 4; ++k) {
#pragma omp task untied shared(child)
                    {
#pragma omp taskyield
#pragma omp atomic
                        child++;
                    }
#pragma omp taskyield
                }
#pragma omp taskwait
                int bad = child != 4;
                for (int k = 0; k < 16; ++k) bad += squares[k] != i * k * k;
#pragma omp atomic
                wrong += bad;
#pragma omp atomic
                count++;
            }
        }
    }
    EXPECT_EQ(wrong, 0);
    EXPECT_EQ(count, 12);
}

// A task sees thread numbers of its own team only, on whichever thread it goes on.
static void seen_from_its_team(int width) {
    int wrong = 0;
#pragma omp parallel num_threads(width)
    {
        int level = omp_get_level();
        for (int i = 0; i < 5; ++i) {
#pragma omp task untied firstprivate(level, width) shared(wrong)
            for (int k = 0; k < 3; ++k) {
                int me = omp_get_thread_num();
                if (me < 0 || me >= width || omp_get_num_threads() != width || omp_get_level() != level) {
#pragma omp atomic
                    wrong++;
                }
#pragma omp taskyield
            }
        }
    }
    EXPECT_EQ(wrong, 0);
}

// A separate function, because clang 19 makes no room for the locals of a taskgroup inside an untied task.
static int count_in_a_group(void) {
    int mine = 0;
#pragma omp taskgroup
    {
        for (int k = 0; k < 5; ++k) {
#pragma omp task untied shared(mine)
            {
#pragma omp task shared(mine)
                {
#pragma omp atomic
                    mine++;
                }
            }
        }
    }
    return mine;
}

static void groups(int width) {
    int count = 0;
#pragma omp parallel num_threads(width)
    {
#pragma omp single
        for (int i = 0; i < 6; ++i) {
#pragma omp task untied shared(count)
            {
#pragma omp taskyield
                int mine = count_in_a_group();
#pragma omp taskyield
#pragma omp atomic
                count += mine;
            }
        }
    }
    EXPECT_EQ(count, 30);
}

static void dependences(int width) {
    int x = 0, wrong = 0;
#pragma omp parallel num_threads(width)
    {
#pragma omp single
        for (int i = 0; i < 15; ++i) {
#pragma omp task untied depend(inout : x) shared(x, wrong) firstprivate(i)
            {
                wrong += x != i;
#pragma omp taskyield
                x = i + 1;
            }
        }
    }
    EXPECT_EQ(x, 15);
    EXPECT_EQ(wrong, 0);
}

static void undeferred(int width) {
    int ran = 0;
#pragma omp parallel num_threads(width)
    {
        int mine = 0;
#pragma omp task untied if (0) shared(mine)
        {
#pragma omp taskyield
            mine = 1;
#pragma omp taskwait
            mine++;
        }
        EXPECT_EQ(mine, 2);
#pragma omp task untied final(1) shared(ran)
        {
            int inner = 0;
#pragma omp task untied shared(inner)
            inner = 1;
#pragma omp atomic
            ran += inner;
        }
    }
    EXPECT_EQ(ran, width);
}

static void loops(int width) {
    int hits[60] = {0};
#pragma omp parallel num_threads(width)
    {
#pragma omp single
        {
#pragma omp taskloop untied grainsize(4) shared(hits)
            for (int i = 0; i < 60; ++i) {
#pragma omp taskyield
                hits[i]++;
            }
        }
    }
    for (int i = 0; i < 60; ++i) EXPECT_EQ(hits[i], 1);
}

int main(void) {
    check("recursion", recursion);
    check("locals", locals);
    check("seen-from-its-team", seen_from_its_team);
    check("groups", groups);
    check("dependences", dependences);
    check("undeferred", undeferred);
    check("loops", loops);
    return check_done();
}
