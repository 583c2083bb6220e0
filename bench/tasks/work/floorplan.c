// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "floorplan.h"

int n;
struct Cell choices[most][shapes];
int best;

void add_cell_serially(struct Plan plan, int count) {
    if (count == n) {
        offer(plan.width * plan.height);
        return;
    }
    for (int corner = 0; corner < corners(count); corner++)
        for (int shape = 0; shape < shapes; shape++) {
            struct Plan next;
            if (put_cell(&plan, count, corner, shape, &next)) add_cell_serially(next, count + 1);
        }
}
