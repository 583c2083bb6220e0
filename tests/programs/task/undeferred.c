// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tasks that a thread executes within their construct, because of if, final or a serial region, one after another and nested. A
// task does not see the settings of an earlier one, and the proper construct waits for the children that it leaves behind.
// libomp 19 fails an assertion at an undeferred task that is untied:
// test: peer-skip clang final_ends_with_it
#include "check.h"

static void settings_are_its_own(int width) {
#pragma omp parallel num_threads(width)
    {
        omp_set_num_threads(5);
        for (int i = 0; i < 20; ++i) {
#pragma omp task if (0)
            {
                EXPECT_EQ(omp_get_max_threads(), 5);
                omp_set_num_threads(7 + i);
#pragma omp task if (0)
                EXPECT_EQ(omp_get_max_threads(), 7 + i);
            }
            EXPECT_EQ(omp_get_max_threads(), 5);
        }
    }
}

static void final_ends_with_it(int width) {
#pragma omp parallel num_threads(width)
    for (int i = 0; i < 20; ++i) {
#pragma omp task if (0) final(i % 2 == 0)
        {
            EXPECT_EQ(omp_in_final(), i % 2 == 0);
#pragma omp task
            EXPECT_EQ(omp_in_final(), i % 2 == 0);
#pragma omp taskwait
        }
#pragma omp task if (0) untied
        EXPECT_EQ(omp_in_final(), 0);
    }
}

// An undeferred task's children may outlive it; a barrier, or a taskgroup around it, waits for all of them.
static void children_left_behind(int width) {
    enum { rounds = 50, children = 3 };
    int count = 0, grouped = 0;
#pragma omp parallel num_threads(width)
    {
        for (int i = 0; i < rounds; ++i) {
#pragma omp task if (0) shared(count)
            for (int k = 0; k < children; ++k) {
#pragma omp task shared(count)
#pragma omp atomic
                count++;
            }
        }
#pragma omp barrier
        EXPECT_EQ(count, rounds * children * width);
#pragma omp single
        for (int i = 1; i <= rounds; ++i) {
#pragma omp taskgroup
            {
#pragma omp task if (0) shared(grouped)
                {
#pragma omp task shared(grouped)
#pragma omp atomic
                    grouped++;
                }
            }
            int seen;
#pragma omp atomic read
            seen = grouped;
            EXPECT_EQ(seen, i);
        }
    }
}

// A taskwait waits for its own task's children only. The children of an undeferred child complete at that child's taskwait.
static int nested(int depth) {
    int below = 0, beside = 0;
    if (depth == 0) return 1;
#pragma omp task shared(beside)
    beside = 1;
#pragma omp task if (0) shared(below)
    below = nested(depth - 1);
#pragma omp taskwait
    return below + beside;
}

static void nested_deep(int width) {
#pragma omp parallel num_threads(width)
    {
        EXPECT_EQ(nested(10), 11);
        EXPECT_EQ(nested(100), 101);
        EXPECT_EQ(nested(10), 11);
    }
    EXPECT_EQ(nested(100), 101);
}

int main(void) {
    check("settings_are_its_own", settings_are_its_own);
    check("final_ends_with_it", final_ends_with_it);
    check("children_left_behind", children_left_behind);
    check("nested_deep", nested_deep);
    return check_done();
}
