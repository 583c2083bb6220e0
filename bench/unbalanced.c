// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Uneven outer iterations (the BOLT paper's figures 8 and 9b): iteration i of `threads` holds an inner loop
// whose threads each work threads * cycles * (i + 1)^alpha / sum of j^alpha cycles. The total work is the same
// for every alpha; a greater alpha puts more of it into the last iteration.
#include "measure.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>

struct Shape {
    int threads;
    const long* cycles;  // of one inner thread, by outer iteration
};

static void pass(void* context) {
    const struct Shape shape = *(const struct Shape*)context;
#pragma omp parallel for num_threads(shape.threads)
    for (int i = 0; i < shape.threads; i++) {
#pragma omp parallel for num_threads(shape.threads)
        for (int j = 0; j < shape.threads; j++) compute(shape.cycles[i]);
    }
}

static void work(void* context, int part, int parts) {
    const struct Shape shape = *(const struct Shape*)context;
    for (int i = 0; i < shape.threads; i++)
        for (int j = part; j < shape.threads; j += parts) compute(shape.cycles[i]);
}

int main(int argc, char** argv) {
    struct Option options[] = {
        {"threads", 16, "iterations and threads at both levels"},
        {"alpha", 1, "how uneven the iterations are"},
        {"cycles", 20000, "mean work of a thread"},
    };
    const struct Budget budget = read_options(argc, argv, options, 3);
    const int threads = (int)options[0].value;
    const double alpha = options[1].value;

    double sum = 0;
    for (int j = 1; j <= threads; j++) sum += pow(j, alpha);
    long* cycles = malloc((size_t)threads * sizeof *cycles);
    if (cycles == NULL) wrong("no memory for %d iterations", threads);
    for (int i = 0; i < threads; i++) cycles[i] = lround(options[2].value * threads * pow(i + 1, alpha) / sum);
    struct Shape shape = {threads, cycles};

    struct Bounds bounds;
    const struct Timing timing = measure_beside_work(pass, work, &shape, &budget, &bounds);

    json_open("unbalanced");
    json_number("threads", threads);
    json_number("alpha", alpha);
    const double ideal = bounds.alone_us / cores();
    // With the outer loop alone in parallel, the loop cannot end before its last and longest iteration.
    const double longest = bounds.alone_us * (double)cycles[threads - 1] / (options[2].value * threads);
    json_number("ideal_us", ideal);
    json_number("by_hand_us", bounds.by_hand_us);
    json_number("ideal_outer_us", longest > ideal ? longest : ideal);
    json_timing(&timing);
    json_close();
    free(cycles);
    return 0;
}
