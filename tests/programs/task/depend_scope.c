// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The scope of depend: it orders siblings only. One list in several clauses, null and repeated items, several
// addresses, tasks that wait or generate tasks while others depend on them, undeferred and final tasks, threads
// whose dependences are separate, and taskwait with depend.
#include "check.h"

#define IN_SINGLE(width) _Pragma("omp parallel num_threads(width)") _Pragma("omp single")

static void set(int* flag, int value) { __atomic_store_n(flag, value, __ATOMIC_RELAXED); }

static int get(int* flag) { return __atomic_load_n(flag, __ATOMIC_RELAXED); }

static void one_address_in_two_clauses(int width) {
    int x = 0, wrong = 0;
    IN_SINGLE(width)
    for (int i = 0; i < 12; ++i) {
#pragma omp task depend(in : x) depend(out : x) shared(x, wrong) firstprivate(i)
        wrong += x++ != i;
#pragma omp task depend(in : x, x, x) shared(x, wrong) firstprivate(i)
        {
            if (x != i + 1) {
#pragma omp atomic
                wrong++;
            }
        }
    }
    EXPECT_EQ(x, 12);
    EXPECT_EQ(wrong, 0);
}

// One task for each pair of twelve addresses, then one task that depends on all of them.
static void many_addresses(int width) {
    int a[12] = {0}, sum = -1;
    IN_SINGLE(width) {
        for (int i = 0; i < 12; ++i)
            for (int j = i + 1; j < 12; ++j) {
#pragma omp task depend(inout : a[i], a[j]) shared(a) firstprivate(i, j)
                {
                    a[i]++;
                    a[j]++;
                }
            }
#pragma omp task depend(in : a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10], a[11]) shared(a, sum)
        {
            sum = 0;
            for (int i = 0; i < 12; ++i) sum += a[i];
        }
    }
    EXPECT_EQ(sum, 12 * 11);
}

// A dependence orders siblings, so a task may name its ancestor's list item without a wait for that
// ancestor.
static void children_have_their_own(int width) {
    int x = 0, wrong = 0, below = 0;
    IN_SINGLE(width)
    for (int i = 0; i < 6; ++i) {
#pragma omp task depend(inout : x) shared(x, wrong, below) firstprivate(i)
        {
            for (int k = 0; k < 4; ++k) {
#pragma omp task depend(inout : x) shared(x, wrong, below) firstprivate(i, k)
                {
                    wrong += x != 4 * i + k;
                    x++;
                    below++;
                }
            }
#pragma omp taskwait
            wrong += x != 4 * i + 4;
        }
    }
    EXPECT_EQ(x, 24);
    EXPECT_EQ(below, 24);
    EXPECT_EQ(wrong, 0);
}

// A successor waits for its predecessor's body, but not for the predecessor's children.
static void predecessors_with_children(int width) {
    int x = 0, children = 0, wrong = 0;
    IN_SINGLE(width)
    for (int i = 0; i < 10; ++i) {
#pragma omp task depend(inout : x) shared(x, children, wrong) firstprivate(i)
        {
            wrong += x != i;
            for (int k = 0; k < 3; ++k) {
#pragma omp task shared(children)
                {
#pragma omp atomic
                    children++;
                }
            }
            x = i + 1;
        }
    }
    EXPECT_EQ(x, 10);
    EXPECT_EQ(children, 30);
    EXPECT_EQ(wrong, 0);
}

static void each_thread_its_own(int width) {
    int wrong = 0, total = 0;
#pragma omp parallel num_threads(width)
    {
        int mine = 0;
        for (int i = 0; i < 10; ++i) {
#pragma omp task depend(inout : mine) shared(mine, wrong, total) firstprivate(i)
            {
                if (mine != i) {
#pragma omp atomic
                    wrong++;
                }
                mine = i + 1;
#pragma omp atomic
                total++;
            }
        }
#pragma omp taskwait
        EXPECT_EQ(mine, 10);
    }
    EXPECT_EQ(total, 10 * width);
    EXPECT_EQ(wrong, 0);
}

static void undeferred_and_final(int width) {
    int x = 0, order = 0;
    IN_SINGLE(width) {
        int me = omp_get_thread_num();
        for (int i = 0; i < 5; ++i) {
#pragma omp task depend(inout : x) shared(x)
            x++;
#pragma omp task if (0) depend(in : x) shared(x, order) firstprivate(i, me)
            {
                EXPECT_EQ(x, 2 * i + 1);
                EXPECT_EQ(omp_get_thread_num(), me);
                order++;
            }
            EXPECT_EQ(order, 2 * i + 1);
#pragma omp task final(1) depend(inout : x) shared(x, order)
            {
#pragma omp task depend(inout : x) shared(x)
                x++;
                order++;
            }
#pragma omp taskwait depend(in : x)
            EXPECT_EQ(x, 2 * i + 2);
            EXPECT_EQ(order, 2 * i + 2);
        }
    }
}

// taskwait depend waits for x's task, which waits for a child, and leaves other tasks to the next taskwait.
static void taskwait_for_some(int width) {
    int x = 0, y = 0, z = 0;
    IN_SINGLE(width) {
#pragma omp task depend(out : x) shared(x)
        {
            int inner = 0;
#pragma omp task shared(inner)
            inner = 7;
#pragma omp taskwait
            x = inner;
        }
        for (int i = 0; i < 10; ++i) {
#pragma omp task depend(inout : y) shared(y)
            y++;
#pragma omp task depend(in : y) depend(inout : z) shared(y, z, x) firstprivate(i)
            z += y > i;
        }
#pragma omp taskwait depend(in : x)
        EXPECT_EQ(x, 7);
#pragma omp taskwait depend(inout : y)
        EXPECT_EQ(y, 10);
#pragma omp taskwait depend(out : x, y, z)
        EXPECT_EQ(z, 10);
#pragma omp taskwait
    }
}

static void wavefront(int width) {
    enum { n = 12 };
    int grid[n][n];
    memset(grid, 0, sizeof grid);
    IN_SINGLE(width)
    for (int pass = 0; pass < 3; ++pass)
        for (int i = 1; i < n; ++i)
            for (int j = 1; j < n; ++j) {
#pragma omp task depend(in : grid[i - 1][j], grid[i][j - 1]) depend(inout : grid[i][j]) shared(grid) firstprivate(i, j)
                grid[i][j] = (grid[i][j] + grid[i - 1][j] + grid[i][j - 1] + 1) % 9973;
            }
    int expected[n][n];
    memset(expected, 0, sizeof expected);
    for (int pass = 0; pass < 3; ++pass)
        for (int i = 1; i < n; ++i)
            for (int j = 1; j < n; ++j) expected[i][j] = (expected[i][j] + expected[i - 1][j] + expected[i][j - 1] + 1) % 9973;
    EXPECT_EQ(memcmp(grid, expected, sizeof grid), 0);
}

static void sections_of_arrays(int width) {
    int a[32] = {0}, b[2][16];
    IN_SINGLE(width) {
        for (int i = 0; i < 32; i += 8) {
#pragma omp task depend(out : a[i : 8]) shared(a) firstprivate(i)
            for (int k = i; k < i + 8; ++k) a[k] = k;
        }
        for (int i = 0; i < 32; i += 16) {
#pragma omp task depend(in : a[i : 8], a[i + 8 : 8]) depend(out : b[i / 16][ : ]) shared(a, b) firstprivate(i)
            for (int k = 0; k < 16; ++k) b[i / 16][k] = 2 * a[i + k];
        }
    }
    for (int i = 0; i < 32; ++i) EXPECT_EQ(b[i / 16][i % 16], 2 * i);
}

// The successors may not run before their predecessor; the team's other threads go on meanwhile.
static void the_team_goes_on_meanwhile(int width) {
    int arrived = 0, x = 0, seen = 0;
#pragma omp parallel num_threads(width)
    {
#pragma omp master
        {
#pragma omp task depend(out : x) shared(x)
            set(&x, 1);
            for (int i = 0; i < 8; ++i) {
#pragma omp task depend(in : x) shared(x, seen)
                {
                    if (get(&x) == 1) {
#pragma omp atomic
                        seen++;
                    }
                }
            }
        }
#pragma omp atomic
        arrived++;
#pragma omp barrier
        EXPECT_EQ(arrived, width);
        EXPECT_EQ(seen, 8);
    }
}

static void inside_taskgroups(int width) {
    int x = 0, grouped = 0;
    IN_SINGLE(width) {
#pragma omp task depend(inout : x) shared(x)
        x = 5;
#pragma omp taskgroup
        {
            for (int i = 0; i < 6; ++i) {
#pragma omp task depend(inout : x) shared(x, grouped)
                {
                    grouped += x == 5 + grouped;
                    x++;
                }
            }
        }
        EXPECT_EQ(grouped, 6);
        EXPECT_EQ(x, 11);
#pragma omp task depend(in : x) shared(x)
        EXPECT_EQ(x, 11);
    }
}

static void serial(int width) {
    int x = 0;
    (void)width;
    for (int i = 0; i < 4; ++i) {
#pragma omp task depend(inout : x) shared(x) firstprivate(i)
        {
            EXPECT_EQ(x, i);
            x++;
        }
    }
#pragma omp taskwait depend(in : x)
    EXPECT_EQ(x, 4);
#pragma omp taskwait
}

static void long_chain(int width) {
    int x = 0, y = 0;
    IN_SINGLE(width)
    for (int i = 0; i < 20000; ++i) {
#pragma omp task depend(inout : x) shared(x) firstprivate(i)
        x += x == i;
#pragma omp task depend(inout : y) shared(y) firstprivate(i)
        y += y == i;
    }
    EXPECT_EQ(x, 20000);
    EXPECT_EQ(y, 20000);
}

int main(void) {
    check("one-address-in-two-clauses", one_address_in_two_clauses);
    check("many-addresses", many_addresses);
    check("children-have-their-own", children_have_their_own);
    check("predecessors-with-children", predecessors_with_children);
    check("each-thread-its-own", each_thread_its_own);
    check("undeferred-and-final", undeferred_and_final);
    check("taskwait-for-some", taskwait_for_some);
    check("wavefront", wavefront);
    check("sections-of-arrays", sections_of_arrays);
    check("the-team-goes-on-meanwhile", the_team_goes_on_meanwhile);
    check("inside-taskgroups", inside_taskgroups);
    check("serial", serial);
    check_share("long-chain", long_chain, 10);
    return check_done();
}
