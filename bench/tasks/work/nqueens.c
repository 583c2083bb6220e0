// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "nqueens.h"

long place_serially(int rows, int row, struct Board board) {
    long ways = 0;
    if (row == rows) return 1;
    for (int column = 0; column < rows; column++) {
        if (!safe(&board, row, column)) continue;
        struct Board next = board;
        next.column[row] = (signed char)column;
        ways += place_serially(rows, row + 1, next);
    }
    return ways;
}
