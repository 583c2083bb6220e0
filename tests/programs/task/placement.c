// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where tasks are generated and where they must be done: by one thread for all, by masked, single, sections
// and loops, by orphaned functions, in nested teams, serial regions and teams of one; complete at explicit
// and implicit barriers and at the end of the region; with a region of their own inside.
#include "check.h"

static void add(int* counter, int value) {
#pragma omp atomic
    *counter += value;
}

static int get(int* counter) {
    int value;
#pragma omp atomic read
    value = *counter;
    return value;
}

static void spawn(int* counter, int tasks) {
    for (int i = 0; i < tasks; ++i) {
#pragma omp task
        add(counter, 1);
    }
}

static void one_producer_many_consumers(int width) {
    int count = 0;
#pragma omp parallel num_threads(width)
    {
#pragma omp master
        spawn(&count, 3000);
    }
    EXPECT_EQ(count, 3000);
}

static void the_last_thread_produces(int width) {
    int count = 0;
#pragma omp parallel num_threads(width)
    {
#pragma omp masked filter(width - 1)
        spawn(&count, 100);
#pragma omp barrier
        EXPECT_EQ(get(&count), 100);
    }
}

static void done_at_barriers(int width) {
    int count = 0;
#pragma omp parallel num_threads(width)
    for (int round = 1; round <= 10; ++round) {
        spawn(&count, 3);
#pragma omp barrier
        EXPECT_EQ(get(&count), 3 * width * round);
#pragma omp barrier
    }
}

static void done_at_implicit_barriers(int width) {
    int loops = 0, singles = 0, parts = 0;
#pragma omp parallel num_threads(width)
    {
#pragma omp for schedule(static)
        for (int i = 0; i < 24; ++i) spawn(&loops, 2);
        EXPECT_EQ(get(&loops), 48);
#pragma omp single
        spawn(&singles, 20);
        EXPECT_EQ(get(&singles), 20);
#pragma omp sections
        {
#pragma omp section
            spawn(&parts, 5);
#pragma omp section
            spawn(&parts, 6);
#pragma omp section
            spawn(&parts, 7);
        }
        EXPECT_EQ(get(&parts), 18);
    }
}

static void done_at_the_end(int width) {
    int count = 0;
#pragma omp parallel num_threads(width)
    {
#pragma omp for nowait schedule(dynamic)
        for (int i = 0; i < 12; ++i) spawn(&count, 2);
#pragma omp single nowait
        spawn(&count, 10);
        spawn(&count, 3);
    }
    EXPECT_EQ(count, 34 + 3 * width);
}

// Tasks may go on generating while their team waits at the barrier.
static void tree(int depth, int* count) {
    add(count, 1);
    if (depth == 0) return;
    for (int i = 0; i < 2; ++i) {
#pragma omp task
        tree(depth - 1, count);
    }
}

static void trees_at_a_barrier(int width) {
    int count = 0;
#pragma omp parallel num_threads(width)
    {
#pragma omp task
        tree(5, &count);
#pragma omp barrier
        EXPECT_EQ(get(&count), 63 * width);
    }
}

static void team_of_one_inside(int width) {
    int count = 0;
#pragma omp parallel num_threads(width)
    {
        int mine = 0;
#pragma omp parallel num_threads(1) shared(mine)
        {
            spawn(&mine, 5);
#pragma omp taskwait
            EXPECT_EQ(get(&mine), 5);
            spawn(&mine, 2);
#pragma omp barrier
            EXPECT_EQ(get(&mine), 7);
            spawn(&mine, 4);
        }
        EXPECT_EQ(mine, 11);
        add(&count, mine);
    }
    EXPECT_EQ(count, 11 * width);
}

static void serial_region_inside(int width) {
    int count = 0;
#pragma omp parallel num_threads(width)
    {
        int mine = 0;
        spawn(&count, 2);
#pragma omp parallel if (0) shared(mine)
        {
            spawn(&mine, 5);
#pragma omp task
            tree(2, &mine);
        }
        EXPECT_EQ(mine, 12);
        spawn(&count, 2);
#pragma omp taskwait
    }
    EXPECT_EQ(count, 4 * width);
}

// Tasks bind to the innermost region: the end of the inner one leaves the outer one's tasks alone or not.
static void nested_teams(int width) {
    int outer = 0, inner = 0;
#pragma omp parallel num_threads(width)
    {
        spawn(&outer, 4);
        int mine = 0;
#pragma omp parallel num_threads(2) shared(mine)
        {
            EXPECT_EQ(omp_get_num_threads(), 2);
            spawn(&mine, 6);
#pragma omp single
            spawn(&mine, 3);
            EXPECT_EQ(get(&mine) >= 3, 1);
        }
        EXPECT_EQ(mine, 15);
        add(&inner, mine);
#pragma omp barrier
        EXPECT_EQ(get(&outer), 4 * width);
        EXPECT_EQ(get(&inner), 15 * width);
    }
}

// Each task starts a team whose threads generate tasks in turn, which are that team's.
static void regions_in_tasks(int width) {
    int teams = 0, inner = 0;
#pragma omp parallel num_threads(width)
    {
        int level = omp_get_level();
#pragma omp single
        for (int i = 0; i < 6; ++i) {
#pragma omp task firstprivate(i, level)
            {
                int mine = 0, size = 1 + i % 3, me = omp_get_thread_num();
#pragma omp parallel num_threads(size) shared(mine)
                {
                    EXPECT_EQ(omp_get_level(), level + 1);
                    EXPECT_EQ(omp_get_ancestor_thread_num(level), me);
                    for (int k = 0; k < 4; ++k) {
#pragma omp task
                        {
                            EXPECT_EQ(omp_get_num_threads(), size);
                            EXPECT_EQ(omp_get_level(), level + 1);
                            add(&mine, 1);
                        }
                    }
                }
                EXPECT_EQ(mine, 4 * size);
                EXPECT_EQ(omp_get_thread_num(), me);
                EXPECT_EQ(omp_get_level(), level);
                add(&inner, mine);
                add(&teams, 1);
            }
        }
    }
    EXPECT_EQ(teams, 6);
    EXPECT_EQ(inner, 48);
}

static void regions_in_tasks_that_wait(int width) {
    int total = 0;
#pragma omp parallel num_threads(width)
    {
#pragma omp single
        for (int i = 0; i < 4; ++i) {
#pragma omp task
            {
                int children = 0;
                spawn(&children, 3);
                int sum = 0;
#pragma omp parallel num_threads(2) reduction(+ : sum)
                sum += 1;
#pragma omp taskwait
                add(&total, children * sum);
            }
        }
    }
    EXPECT_EQ(total, 24);
}

static void between_regions(int width) {
    int count = 0;
    for (int round = 0; round < 5; ++round) {
#pragma omp parallel num_threads(width)
        spawn(&count, 2);
        EXPECT_EQ(count, (2 * width + 3) * round + 2 * width);
        spawn(&count, 3);
#pragma omp taskwait
        EXPECT_EQ(get(&count), (2 * width + 3) * (round + 1));
    }
}

static void numbers_inside(int width) {
    int wrong = 0;
#pragma omp parallel num_threads(width)
    {
        int level = omp_get_level(), active = omp_get_active_level();
        for (int i = 0; i < 6; ++i) {
#pragma omp task firstprivate(level, active) shared(wrong)
            {
                int me = omp_get_thread_num();
                if (me < 0 || me >= width || omp_get_num_threads() != width || omp_get_level() != level ||
                    omp_get_active_level() != active || omp_get_team_size(level) != width ||
                    omp_get_ancestor_thread_num(level) != me)
                    add(&wrong, 1);
            }
        }
    }
    EXPECT_EQ(wrong, 0);
}

// No thread may be left out: one that waits in an ordered loop or before a single still gets its tasks done.
static void beside_ordered_loops(int width) {
    int count = 0, order = 0, wrong = 0;
#pragma omp parallel num_threads(width)
    {
#pragma omp for ordered schedule(dynamic)
        for (int i = 0; i < 16; ++i) {
            spawn(&count, 1);
#pragma omp ordered
            wrong += order++ != i;
        }
        EXPECT_EQ(get(&count), 16);
    }
    EXPECT_EQ(wrong, 0);
}

int main(void) {
    check_share("one-producer-many-consumers", one_producer_many_consumers, 5);
    check("the-last-thread-produces", the_last_thread_produces);
    check("done-at-barriers", done_at_barriers);
    check("done-at-implicit-barriers", done_at_implicit_barriers);
    check("done-at-the-end", done_at_the_end);
    check_share("trees-at-a-barrier", trees_at_a_barrier, 3);
    check("team-of-one-inside", team_of_one_inside);
    check("serial-region-inside", serial_region_inside);
    check("nested-teams", nested_teams);
    check("regions-in-tasks", regions_in_tasks);
    check("regions-in-tasks-that-wait", regions_in_tasks_that_wait);
    check("between-regions", between_regions);
    check("numbers-inside", numbers_inside);
    check("beside-ordered-loops", beside_ordered_loops);
    return check_done();
}
