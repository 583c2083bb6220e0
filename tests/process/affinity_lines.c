// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Regions for OMP_DISPLAY_AFFINITY: a first one, an equal one, one whose thread 0 opens an inner team twice, and an equal one
// after that.
#include <omp.h>
#include <stdio.h>

static void meet(void) {
#pragma omp parallel num_threads(3)
    if (omp_get_num_threads() != 3) puts("fewer");
}

int main(void) {
    omp_set_max_active_levels(2);
    meet();
    meet();
#pragma omp parallel num_threads(3)
    for (int i = 0; i < 2 && omp_get_thread_num() == 0; ++i) {
#pragma omp parallel num_threads(2)
        if (omp_get_num_threads() != 2) puts("fewer");
    }
    meet();
    return 0;
}
