// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Nested regions: six deep, ancestors and team sizes of every level, serialized levels in between, many in a
// row.
#include "check.h"

static void deeper(int depth, int base, long* leaves) {
    int parent = omp_get_thread_num();
#pragma omp parallel num_threads(2)
    {
        int level = omp_get_level();
        EXPECT_EQ(omp_get_num_threads(), 2);
        EXPECT_EQ(omp_get_ancestor_thread_num(level), omp_get_thread_num());
        EXPECT_EQ(omp_get_ancestor_thread_num(level - 1), parent);
        EXPECT_EQ(omp_get_ancestor_thread_num(0), 0);
        EXPECT_EQ(omp_get_ancestor_thread_num(level + 1), -1);
        EXPECT_EQ(omp_get_ancestor_thread_num(-1), -1);
        EXPECT_EQ(omp_get_team_size(level), 2);
        EXPECT_EQ(omp_get_team_size(level + 1), -1);
        EXPECT_EQ(omp_get_team_size(0), 1);
        for (int l = base + 1; l <= level; ++l) EXPECT_EQ(omp_get_team_size(l), 2);
        if (depth > 1)
            deeper(depth - 1, base, leaves);
        else {
#pragma omp atomic
            ++*leaves;
        }
        EXPECT_EQ(omp_get_level(), level);
        EXPECT_EQ(omp_get_num_threads(), 2);
    }
    EXPECT_EQ(omp_get_thread_num(), parent);
}

static void six_deep(int width) {
    long leaves = 0;
    (void)width;
    deeper(6, omp_get_level(), &leaves);
    EXPECT_EQ(leaves, 64);
}

static void serialized_between(int width) {
    int base = omp_get_level(), active = omp_get_active_level(), leaves = 0;
#pragma omp parallel num_threads(width)
    {
        int me = omp_get_thread_num();
#pragma omp parallel num_threads(1)
        {
            EXPECT_EQ(omp_get_num_threads(), 1);
            EXPECT_EQ(omp_get_thread_num(), 0);
            EXPECT_EQ(omp_get_level(), base + 2);
            EXPECT_EQ(omp_get_active_level(), active + (width > 1));
            EXPECT_EQ(omp_get_ancestor_thread_num(base + 1), me);
            EXPECT_EQ(omp_get_team_size(base + 1), width);
#pragma omp parallel num_threads(2)
            {
                EXPECT_EQ(omp_get_num_threads(), 2);
                EXPECT_EQ(omp_get_level(), base + 3);
                EXPECT_EQ(omp_get_active_level(), active + (width > 1) + 1);
                EXPECT_EQ(omp_get_ancestor_thread_num(base + 1), me);
                EXPECT_EQ(omp_get_ancestor_thread_num(base + 2), 0);
                EXPECT_EQ(omp_get_team_size(base + 2), 1);
#pragma omp atomic
                leaves++;
            }
        }
    }
    EXPECT_EQ(leaves, 2 * width);
}

static void in_a_row(int width) {
    int count = 0;
#pragma omp parallel num_threads(width)
    for (int i = 0; i < 5; ++i) {
        int inner = 1 + (i + omp_get_thread_num()) % 4, mine = 0;
#pragma omp parallel num_threads(inner) reduction(+ : mine)
        mine += omp_get_num_threads() == inner;
        EXPECT_EQ(mine, inner);
#pragma omp atomic
        count += mine == inner;
    }
    EXPECT_EQ(count, 5 * width);
}

static void nested_for(int width) {
    long sum = 0;
#pragma omp parallel for num_threads(width) reduction(+ : sum) schedule(dynamic, 1)
    for (int i = 0; i < 6; ++i) {
        long inner = 0;
#pragma omp parallel for num_threads(3) reduction(+ : inner) schedule(guided)
        for (int j = 0; j < 50; ++j) inner += i * j;
        sum += inner;
    }
    EXPECT_EQ(sum, 15 * 1225);
}

static void barriers_at_two_levels(int width) {
    int outer[64] = {0};
#pragma omp parallel num_threads(width)
    {
        int me = omp_get_thread_num();
        for (int phase = 1; phase <= 3; ++phase) {
            int inner[4] = {0};
#pragma omp parallel num_threads(4)
            {
                int mine = omp_get_thread_num();
                inner[mine] = phase;
#pragma omp barrier
                for (int i = 0; i < 4; ++i) EXPECT_EQ(inner[i], phase);
#pragma omp barrier
                inner[mine] = 0;
            }
            outer[me] = phase;
#pragma omp barrier
            for (int i = 0; i < width; ++i) EXPECT_EQ(outer[i], phase);
#pragma omp barrier
        }
    }
}

int main(void) {
    check_share("six-deep", six_deep, 5);
    check("serialized-between", serialized_between);
    check("in-a-row", in_a_row);
    check("nested-for", nested_for);
    check("barriers-at-two-levels", barriers_at_two_levels);
    return check_done();
}
