// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// depend: chains, readers and writers, mutexinoutset, inoutset, array sections, iterators, depobj, taskwait
// depend.
#include "check.h"

#define IN_SINGLE(width) _Pragma("omp parallel num_threads(width)") _Pragma("omp single")

static void chain(int width) {
    int x = 0, wrong = 0;
    IN_SINGLE(width)
    for (int i = 0; i < 40; ++i) {
#pragma omp task depend(inout : x) shared(x, wrong) firstprivate(i)
        {
            wrong += x != i;
            x = i + 1;
        }
    }
    EXPECT_EQ(x, 40);
    EXPECT_EQ(wrong, 0);
}

static void readers_and_writers(int width) {
    int x = 0, seen[5][6];
    IN_SINGLE(width)
    for (int phase = 0; phase < 5; ++phase) {
#pragma omp task depend(out : x) shared(x) firstprivate(phase)
        x = 10 * phase;
        for (int reader = 0; reader < 6; ++reader) {
#pragma omp task depend(in : x) shared(x, seen) firstprivate(phase, reader)
            seen[phase][reader] = x;
        }
#pragma omp task depend(inout : x) shared(x)
        x = -1;
    }
    for (int phase = 0; phase < 5; ++phase)
        for (int reader = 0; reader < 6; ++reader) EXPECT_EQ(seen[phase][reader], 10 * phase);
    EXPECT_EQ(x, -1);
}

static void blocks(int width) {
    enum { n = 8 };
    int grid[n][n];
    memset(grid, 0, sizeof grid);
    IN_SINGLE(width)
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
            int up = i ? i - 1 : i, left = j ? j - 1 : j;
#pragma omp task depend(in : grid[up][j], grid[i][left]) depend(out : grid[i][j]) shared(grid) firstprivate(i, j)
            grid[i][j] = (i && j ? grid[i - 1][j] + grid[i][j - 1] : 1) % 10007;
        }
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) EXPECT_EQ(grid[i][j], i && j ? (grid[i - 1][j] + grid[i][j - 1]) % 10007 : 1);
}

static void mutual_exclusion(int width) {
    int x = 0, inside = 0, wrong = 0, after = -1;
    IN_SINGLE(width) {
#pragma omp task depend(out : x) shared(x)
        x = 100;
        for (int i = 0; i < 12; ++i) {
#pragma omp task depend(mutexinoutset : x) shared(x, inside, wrong)
            {
                wrong += inside++ != 0;
                x++;
                inside--;
            }
        }
#pragma omp task depend(in : x) shared(x, after)
        after = x;
    }
    EXPECT_EQ(after, 112);
    EXPECT_EQ(wrong, 0);
}

// gcc 12 lacks inoutset.
#ifdef __clang__
static void in_out_set(int width) {
    int x = 0, before = 0, sum = 0, after = -1;
    IN_SINGLE(width) {
#pragma omp task depend(out : x) shared(before)
        before = 1;
        for (int i = 0; i < 8; ++i) {
#pragma omp task depend(inoutset : x) shared(before, sum)
            {
#pragma omp atomic
                sum += before;
            }
        }
#pragma omp task depend(in : x) shared(sum, after)
        after = sum;
    }
    EXPECT_EQ(after, 8);
}
#endif

static void iterators(int width) {
    int parts[10] = {0}, total = 0;
    IN_SINGLE(width) {
        for (int i = 0; i < 10; ++i) {
#pragma omp task depend(out : parts[i]) shared(parts) firstprivate(i)
            parts[i] = i;
        }
#pragma omp task depend(iterator(int k = 0 : 10), in : parts[k]) shared(parts, total)
        for (int i = 0; i < 10; ++i) total += parts[i];
    }
    EXPECT_EQ(total, 45);
}

static void dependence_objects(int width) {
    int x = 0, seen = -1;
    IN_SINGLE(width) {
        omp_depend_t object;
#pragma omp depobj(object) depend(inout : x)
#pragma omp task depend(depobj : object) shared(x)
        x = 1;
#pragma omp task depend(depobj : object) shared(x)
        x = x * 10 + 2;
#pragma omp depobj(object) update(in)
#pragma omp task depend(depobj : object) shared(x, seen)
        seen = x;
#pragma omp taskwait
#pragma omp depobj(object) destroy
    }
    EXPECT_EQ(seen, 12);
}

static void taskwait_depend(int width) {
    int x = 0, y = 0;
    IN_SINGLE(width) {
#pragma omp task depend(out : x) shared(x)
        x = 5;
#pragma omp task depend(out : y) shared(y)
        y = 6;
#pragma omp taskwait depend(in : x)
        EXPECT_EQ(x, 5);
#pragma omp taskwait
        EXPECT_EQ(y, 6);
    }
}

static void undeferred_still_waits(int width) {
    int x = 0;
    IN_SINGLE(width) {
#pragma omp task depend(out : x) shared(x)
        x = 3;
#pragma omp task if (0) depend(inout : x) shared(x)
        {
            EXPECT_EQ(x, 3);
            x = 4;
        }
        EXPECT_EQ(x, 4);
    }
}

static void many_on_one(int width) {
    int items[30] = {0}, wrong = 0;
    IN_SINGLE(width)
    for (int round = 0; round < 10; ++round)
        for (int i = 0; i < 30; ++i) {
            int next = (i + 1) % 30;
#pragma omp task depend(inout : items[i], items[next]) shared(items, wrong) firstprivate(i, next)
            {
                int low = items[i], high = items[next];
                items[i] = high + 1;
                items[next] = low + 1;
                if (low < 0 || high < 0) {
#pragma omp atomic
                    wrong++;
                }
            }
        }
    int total = 0;
    for (int i = 0; i < 30; ++i) total += items[i];
    EXPECT_EQ(total, 600);
    EXPECT_EQ(wrong, 0);
}

int main(void) {
    check("chain", chain);
    check("readers-and-writers", readers_and_writers);
    check("blocks", blocks);
    check("mutual-exclusion", mutual_exclusion);
#ifdef __clang__
    check("in-out-set", in_out_set);
#endif
    check("iterators", iterators);
    check("dependence-objects", dependence_objects);
    check("taskwait-depend", taskwait_depend);
    check("undeferred-still-waits", undeferred_still_waits);
    check("many-on-one", many_on_one);
    return check_done();
}
