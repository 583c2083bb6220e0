// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Too little outer parallelism (the BOLT paper's figures 7 and 9a): `outer` iterations, each an inner loop of
// `inner` threads with `cycles` of work each. With fewer outer iterations than cores, only the inner level can use all cores.
#include "measure.h"

#include <omp.h>

struct Shape {
    int outer;
    int inner;
    long cycles;
};

static void pass(void* context) {
    const struct Shape shape = *(const struct Shape*)context;
#pragma omp parallel for num_threads(shape.outer)
    for (int i = 0; i < shape.outer; i++) {
#pragma omp parallel for num_threads(shape.inner)
        for (int j = 0; j < shape.inner; j++) compute(shape.cycles);
    }
}

static void work(void* context, int part, int parts) {
    const struct Shape shape = *(const struct Shape*)context;
    for (long i = part; i < (long)shape.outer * shape.inner; i += parts) compute(shape.cycles);
}

int main(int argc, char** argv) {
    struct Option options[] = {
        {"outer", 2, "iterations and threads outside"},
        {"inner", 16, "threads of each inner loop"},
        {"cycles", 20000, "work of a thread"},
    };
    const struct Budget budget = read_options(argc, argv, options, 3);
    struct Shape shape = {(int)options[0].value, (int)options[1].value, (long)options[2].value};

    struct Bounds bounds;
    const struct Timing timing = measure_beside_work(pass, work, &shape, &budget, &bounds);

    json_open("insufficient");
    json_number("outer", shape.outer);
    json_number("inner", shape.inner);
    json_number("cycles", (double)shape.cycles);
    json_number("ideal_us", bounds.alone_us / cores());
    json_number("by_hand_us", bounds.by_hand_us);
    // With the outer loop alone in parallel, each core executes one iteration in each round.
    const int rounds = (shape.outer + cores() - 1) / cores();
    json_number("ideal_outer_us", bounds.alone_us * rounds / shape.outer);
    json_timing(&timing);
    json_close();
    return 0;
}
