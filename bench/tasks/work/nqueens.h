// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <stdbool.h>

enum { most = 16 };

struct Board {
    signed char column[most];  // the column of the queen in each row so far
};

static inline bool safe(const struct Board* board, int row, int column) {
    for (int r = 0; r < row; r++) {
        const int distance = column - board->column[r];
        if (distance == 0 || distance == row - r || distance == r - row) return false;
    }
    return true;
}

static inline struct Board with_queen(struct Board board, int row, int column) {
    board.column[row] = (signed char)column;
    return board;
}

// The number of ways to put queens in the rows from `row` to the last of `rows`.
long place_serially(int rows, int row, struct Board board);
