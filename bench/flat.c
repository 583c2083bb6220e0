// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One empty parallel region (the BOLT paper's figure 6a): the price of fork and join alone.
#include "measure.h"

#include <omp.h>

static void pass(void* context) {
    const int threads = *(const int*)context;
#pragma omp parallel num_threads(threads)
    empty(0, 0);
}

static void check(int threads) {
    int seen = 0;
#pragma omp parallel num_threads(threads) reduction(+ : seen)
    seen++;
    if (seen != threads)
        wrong("a region of %d threads ran on %d", threads, seen);
}

int main(int argc, char** argv) {
    struct Option options[] = {{"threads", 2, "threads of the region"}};
    const struct Budget budget = read_options(argc, argv, options, 1);
    int threads = (int)options[0].value;

    check(threads);
    const struct Timing timing = measure(pass, &threads, &budget);

    json_open("flat");
    json_number("threads", threads);
    json_timing(&timing);
    json_close();
    return 0;
}
