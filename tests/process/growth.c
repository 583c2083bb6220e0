// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Resident memory over many regions of changing widths, flat and nested. Prints KiB after a tenth of the regions
// and at the end. Argument: number of regions.
#include "usage.h"

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
    long regions = argc > 1 ? atol(argv[1]) : 1000, wrong = 0;
    unsigned random = 12345;
    omp_set_max_active_levels(4);
    long early = 0;
    for (long i = 0; i < regions; ++i) {
        if (i == regions / 10) early = resident_kib();
        random = random * 1664525u + 1013904223u;
        int width = 1 + (int)(random >> 16) % 12, inner = (random >> 24) % 8 == 0 ? 1 + (int)(random >> 8) % 5 : 0;
        int count = 0;
#pragma omp parallel num_threads(width) reduction(+ : count)
        {
            count = 1;
            if (inner) {
#pragma omp parallel num_threads(inner)
                {
#pragma omp barrier
                }
            } else if (i % 16 == 0) {
#pragma omp barrier
            }
        }
        wrong += count != width;
    }
    printf("%ld %ld %ld\n", wrong, early, resident_kib());
    return wrong != 0;
}
