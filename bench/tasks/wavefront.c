// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Dependences in regular patterns: `chains` chains, in which each task changes the result of the task before it,
// and a wavefront over a square, in which each cell depends on the cell above and the cell to the left. A task
// computes for `work` cycles.
#include "kernel.h"

#include <stdlib.h>
#include <string.h>

static long side, work;
static bool square;
static uint64_t* cells;  // with a border of zeros above and left

static void cell_step(uint64_t* cell, const uint64_t* above, const uint64_t* left) {
    compute(work);
    *cell = *above + *left + 1;
}

static void spawn_square(void) {
    for (long i = 1; i <= side; i++)
        for (long j = 1; j <= side; j++) {
            uint64_t* cell = &cells[i * (side + 1) + j];
            uint64_t *above = cell - (side + 1), *left = cell - 1;
#pragma omp task firstprivate(cell, above, left) depend(in : above[0], left[0]) depend(out : cell[0])
            cell_step(cell, above, left);
        }
}

static void spawn_chains(void) {
    for (long i = 1; i <= side; i++)
        for (long j = 1; j <= side; j++) {
            uint64_t* cell = &cells[j];
#pragma omp task firstprivate(cell, i) depend(inout : cell[0])
            {
                compute(work);
                *cell = *cell * 3 + (uint64_t)i;
            }
        }
}

static void pass(void* context) {
    const int threads = *(const int*)context;
    memset(cells, 0, (size_t)((side + 1) * (side + 1)) * sizeof *cells);
#pragma omp parallel num_threads(threads)
    {
#pragma omp single
        {
            if (square)
                spawn_square();
            else
                spawn_chains();
        }
    }
}

static void check(void) {
    for (long j = 1; j <= side; j++) {
        uint64_t value = 0;
        for (long i = 1; i <= side && !square; i++) value = value * 3 + (uint64_t)i;
        if (!square && cells[j] != value) wrong("chain %ld was not run in order", j);
    }
    for (long i = 1; i <= side && square; i++)
        for (long j = 1; j <= side; j++) {
            const uint64_t* cell = &cells[i * (side + 1) + j];
            if (*cell != cell[-(side + 1)] + cell[-1] + 1) wrong("cell %ld, %ld of the wavefront came too early", i, j);
        }
}

int main(int argc, char** argv) {
    struct Option options[] = {
        {"threads", 2, "threads of the team"},
        {"side", 100, "chains and their length; or the square's side"},
        {"square", 0, "1: a wavefront over a square instead of chains"},
        {"work", 0, "cycles of work a task"},
    };
    const struct Budget budget = read_options(argc, argv, options, 4);
    int threads = (int)options[0].value;
    side = (long)options[1].value;
    square = options[2].value != 0;
    work = (long)options[3].value;
    cells = malloc((size_t)((side + 1) * (side + 1)) * sizeof *cells);
    if (cells == NULL) wrong("no memory for %ld by %ld cells", side, side);
    pass(&threads);
    check();
    const struct Timing timing = measure(pass, &threads, &budget);
    check();
    json_open(square ? "wavefront" : "chains");
    json_number("threads", threads);
    json_number("side", (double)side);
    json_number("work", (double)work);
    json_timing(&timing);
    json_number("ns_a_task", 1000 * timing.median_us / (double)(side * side));
    json_close();
    return 0;
}
