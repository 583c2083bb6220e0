// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// omp_pause_resource and _all (OpenMP 5.2 §18.6): regions of any width work before and after; threadprivate variables of the
// initial thread keep their values.
#include "check.h"

static int kept;
#pragma omp threadprivate(kept)

static int sum_of_numbers(int width) {
    int sum = 0;
#pragma omp parallel num_threads(width) reduction(+ : sum)
    {
#pragma omp barrier
        sum += omp_get_thread_num() + 1;
    }
    return sum;
}

static void between_regions(int width) {
    EXPECT_EQ(sum_of_numbers(width), width * (width + 1) / 2);
    if (omp_get_level() > 0) return;
    kept = 17;
    EXPECT_EQ(omp_pause_resource_all(omp_pause_soft), 0);
    EXPECT_EQ(sum_of_numbers(width), width * (width + 1) / 2);
    EXPECT_EQ(omp_pause_resource(omp_pause_soft, omp_get_initial_device()), 0);
    EXPECT_EQ(kept, 17);
    EXPECT_EQ(sum_of_numbers(width + 3), (width + 3) * (width + 4) / 2);
}

int main(void) {
    check("between_regions", between_regions);
    return check_done();
}
