// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All ways to put n queens on a board of n by n. As in the suite, there is a task for each column of each row, and the task
// itself finds out whether a queen is safe there: most tasks end after a few comparisons.
#include "work/nqueens.h"
#include "kernel.h"

static int n;
static long found;
static long expected;

static long place(int row, struct Board board) {
    long ways[most] = {0};
    if (row == n) return 1;
    if (row >= cut_off) return place_serially(n, row, board);
    for (int column = 0; column < n; column++)
        SPAWN(firstprivate(row, column) shared(board, ways),
              if (safe(&board, row, column)) ways[column] = place(row + 1, with_queen(board, row, column)));
#pragma omp taskwait
    long sum = 0;
    for (int column = 0; column < n; column++) sum += ways[column];
    return sum;
}

static void prepare(long size) {
    static const long known[most + 1] = {1, 1, 0, 0, 2, 10, 4, 40, 92, 352, 724, 2680, 14200, 73712, 365596, 2279184, 14772512};
    n = size < 1 ? 1 : size > most ? most : (int)size;
    expected = known[n];
}

static void run(void) {
    const struct Board empty_board = {{0}};
    found = place(0, empty_board);
}

static void check(void) {
    if (found != expected) wrong("%d queens stand in %ld ways, not %ld", n, expected, found);
}

int main(int argc, char** argv) {
    const struct Kernel kernel = {"nqueens", 9, "rows of the board", 3, prepare, 0, run, check, 0};
    return run_kernel(argc, argv, &kernel);
}
