// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A flat and a nested region of given widths: prints how many threads ran in each region. Arguments: outer, inner.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
    int outer = argc > 1 ? atoi(argv[1]) : 0, inner = argc > 2 ? atoi(argv[2]) : 0, flat = 0, nested = 0;
    if (outer == 0) {
#pragma omp parallel reduction(+ : flat)
        flat += 1;
        printf("%d\n", flat);
        return flat < 1;
    }
    omp_set_max_active_levels(4);
#pragma omp parallel num_threads(outer) reduction(+ : flat)
    flat += 1;
#pragma omp parallel num_threads(outer) reduction(+ : nested)
    {
#pragma omp barrier
        if (inner) {
            int mine = 0;
#pragma omp parallel num_threads(inner) reduction(+ : mine)
            {
#pragma omp barrier
                mine += 1;
            }
            nested += mine;
        }
#pragma omp barrier
    }
    printf("%d %d\n", flat, nested);
    return 0;
}
