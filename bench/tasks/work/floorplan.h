// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <stdbool.h>

enum { most = 12, shapes = 3 };

struct Cell {
    short x, y, width, height;
};

struct Plan {
    struct Cell cells[most];
    short width, height;
};

extern int n;  // cells to put
extern struct Cell choices[most][shapes];
extern int best;  // the smallest area so far

static inline bool overlaps(const struct Plan* plan, int count, const struct Cell* cell) {
    for (int i = 0; i < count; i++) {
        const struct Cell* other = &plan->cells[i];
        if (cell->x < other->x + other->width && other->x < cell->x + cell->width && cell->y < other->y + other->height &&
            other->y < cell->y + cell->height)
            return true;
    }
    return false;
}

static inline void offer(int area) {
    int seen = __atomic_load_n(&best, __ATOMIC_RELAXED);
    while (area < seen && !__atomic_compare_exchange_n(&best, &seen, area, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {}
}

// The number of places for a cell: right of and below each of the `count` earlier cells.
static inline int corners(int count) { return count == 0 ? 1 : 2 * count; }

// Adds one cell to the plan, in `*next`. Returns false if the cell does not fit, or no such plan can beat the best.
static inline bool put_cell(const struct Plan* plan, int count, int corner, int shape, struct Plan* next) {
    struct Cell cell = choices[count][shape];
    if (count > 0) {
        const struct Cell* at = &plan->cells[corner / 2];
        cell.x = (short)(corner % 2 ? at->x : at->x + at->width);
        cell.y = (short)(corner % 2 ? at->y + at->height : at->y);
    }
    if (overlaps(plan, count, &cell)) return false;
    *next = *plan;
    next->cells[count] = cell;
    next->width = (short)(cell.x + cell.width > plan->width ? cell.x + cell.width : plan->width);
    next->height = (short)(cell.y + cell.height > plan->height ? cell.y + cell.height : plan->height);
    return next->width * next->height < __atomic_load_n(&best, __ATOMIC_RELAXED);
}

void add_cell_serially(struct Plan plan, int count);
