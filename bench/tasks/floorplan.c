// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The smallest rectangle that holds a number of cells, each in one of several shapes and put against a corner
// of one that is there: branch and bound, a task for each way to put the next cell. How much is pruned
// depends on the order of events; the area found does not.
#include "kernel.h"

#include <stdlib.h>

enum { most = 12, shapes = 3 };

struct Cell {
    short x, y, width, height;
};

struct Plan {
    struct Cell cells[most];
    short width, height;
};

static int n;
static struct Cell choices[most][shapes];
static int best;
static int expected;

static bool overlaps(const struct Plan* plan, int count, const struct Cell* cell) {
    for (int i = 0; i < count; i++) {
        const struct Cell* other = &plan->cells[i];
        if (cell->x < other->x + other->width && other->x < cell->x + cell->width && cell->y < other->y + other->height &&
            other->y < cell->y + cell->height)
            return true;
    }
    return false;
}

static void offer(int area) {
    int seen = __atomic_load_n(&best, __ATOMIC_RELAXED);
    while (area < seen && !__atomic_compare_exchange_n(&best, &seen, area, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {}
}

static void add_cell(struct Plan plan, int count) {
    if (count == n) {
        offer(plan.width * plan.height);
        return;
    }
    // Right of or below each cell that is there.
    for (int corner = 0; corner < (count == 0 ? 1 : 2 * count); corner++)
        for (int shape = 0; shape < shapes; shape++) {
            struct Cell cell = choices[count][shape];
            if (count > 0) {
                const struct Cell* at = &plan.cells[corner / 2];
                cell.x = (short)(corner % 2 ? at->x : at->x + at->width);
                cell.y = (short)(corner % 2 ? at->y + at->height : at->y);
            }
            if (overlaps(&plan, count, &cell)) continue;
            struct Plan next = plan;
            next.cells[count] = cell;
            next.width = (short)(cell.x + cell.width > plan.width ? cell.x + cell.width : plan.width);
            next.height = (short)(cell.y + cell.height > plan.height ? cell.y + cell.height : plan.height);
            if (next.width * next.height >= __atomic_load_n(&best, __ATOMIC_RELAXED)) continue;
            SPAWN(count, firstprivate(next, count), add_cell(next, count + 1));
        }
    WAIT(count);
}

static void reset(void) { best = 1 << 30; }

static void run(void) {
    const struct Plan nothing = {0};
    add_cell(nothing, 0);
}

static void prepare(long size) {
    uint64_t state = 7;
    n = size < 1 ? 1 : size > most ? most : (int)size;
    for (int i = 0; i < n; i++)
        for (int shape = 0; shape < shapes; shape++) {
            const int width = 1 + (int)(next_random(&state) % 5);
            choices[i][shape] = (struct Cell){0, 0, (short)width, (short)(1 + 12 / width)};
        }
    const long asked = cut_off;
    cut_off = 0;
    reset();
    run();
    expected = best;
    cut_off = asked;
}

static void check(void) {
    if (best != expected) wrong("the smallest area is %d, not %d", expected, best);
}

int main(int argc, char** argv) {
    const struct Kernel kernel = {"floorplan", 8, "cells", 3, prepare, reset, run, check, 0};
    return run_kernel(argc, argv, &kernel);
}
