// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The smallest rectangle that holds a number of cells, each in one of several shapes at a corner of an earlier
// cell: branch and bound, with a task for each way to put the next cell. The amount of pruning depends on the
// order of the tasks; the resulting area does not. As in the suite, the task itself finds out whether its cell fits and whether
// the plan can still be the smallest: most tasks end there.
#include "work/floorplan.h"
#include "kernel.h"

static int expected;

static void add_cell(struct Plan plan, int count) {
    if (count == n) {
        offer(plan.width * plan.height);
        return;
    }
    if (count >= cut_off) {
        add_cell_serially(plan, count);
        return;
    }
    for (int corner = 0; corner < corners(count); corner++)
        for (int shape = 0; shape < shapes; shape++)
            SPAWN(firstprivate(count, corner, shape) shared(plan), struct Plan next;
                  if (put_cell(&plan, count, corner, shape, &next)) add_cell(next, count + 1));
#pragma omp taskwait
}

static void reset(void) { best = 1 << 30; }

static const struct Plan nothing;

static void run(void) { add_cell(nothing, 0); }

static void prepare(long size) {
    uint64_t state = 7;
    n = size < 1 ? 1 : size > most ? most : (int)size;
    for (int i = 0; i < n; i++)
        for (int shape = 0; shape < shapes; shape++) {
            const int width = 1 + (int)(next_random(&state) % 5);
            choices[i][shape] = (struct Cell){0, 0, (short)width, (short)(1 + 12 / width)};
        }
    reset();
    add_cell_serially(nothing, 0);
    expected = best;
}

static void check(void) {
    if (best != expected) wrong("the smallest area is %d, not %d", expected, best);
}

int main(int argc, char** argv) {
    const struct Kernel kernel = {"floorplan", 8, "cells", 3, prepare, reset, run, check, 0};
    return run_kernel(argc, argv, &kernel);
}
