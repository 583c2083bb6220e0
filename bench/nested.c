// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Empty nested regions (the BOLT paper's figures 5 and 6b): a parallel loop of `outer` iterations on as many
// threads, each iteration a parallel loop of `inner`. With barrier=1 every inner thread also waits
// at an explicit barrier, so in the middle of its region. With inmost=M there is a third level.
#include "measure.h"

#include <omp.h>

struct Shape {
    int outer;
    int inner;
    int inmost;
};

static void two_levels(void* context) {
    const struct Shape shape = *(const struct Shape*)context;
#pragma omp parallel for num_threads(shape.outer)
    for (int i = 0; i < shape.outer; i++) {
#pragma omp parallel for num_threads(shape.inner)
        for (int j = 0; j < shape.inner; j++) empty(i, j);
    }
}

static void two_levels_with_barrier(void* context) {
    const struct Shape shape = *(const struct Shape*)context;
#pragma omp parallel for num_threads(shape.outer)
    for (int i = 0; i < shape.outer; i++) {
#pragma omp parallel num_threads(shape.inner)
        {
            empty(i, 0);
#pragma omp barrier
            empty(i, 1);
        }
    }
}

static void three_levels(void* context) {
    const struct Shape shape = *(const struct Shape*)context;
#pragma omp parallel for num_threads(shape.outer)
    for (int i = 0; i < shape.outer; i++) {
#pragma omp parallel for num_threads(shape.inner)
        for (int j = 0; j < shape.inner; j++) {
#pragma omp parallel for num_threads(shape.inmost)
            for (int k = 0; k < shape.inmost; k++) empty(j, k);
        }
    }
}

// Returns the size of the innermost teams, which is less than requested where the setting or the runtime
// switches inner regions off. A lost or repeated iteration is an error.
static int check(struct Shape shape) {
    const int inmost = shape.inmost > 0 ? shape.inmost : 1;
    long calls = 0;
    int widest = 0;
#pragma omp parallel for num_threads(shape.outer) reduction(+ : calls) reduction(max : widest)
    for (int i = 0; i < shape.outer; i++) {
#pragma omp parallel for num_threads(shape.inner) reduction(+ : calls) reduction(max : widest)
        for (int j = 0; j < shape.inner; j++) {
            if (shape.inmost == 0) widest = omp_get_num_threads();
#pragma omp parallel for num_threads(inmost) reduction(+ : calls) reduction(max : widest)
            for (int k = 0; k < inmost; k++) {
                if (shape.inmost > 0) widest = omp_get_num_threads();
                calls++;
            }
        }
    }
    const long expected = (long)shape.outer * shape.inner * inmost;
    if (calls != expected) wrong("%ld of %ld innermost iterations ran", calls, expected);
    return widest;
}

int main(int argc, char** argv) {
    struct Option options[] = {
        {"outer", 4, "threads of the outer region"},
        {"inner", 4, "threads of each inner region"},
        {"inmost", 0, "threads of each region inside those, 0 for two levels"},
        {"barrier", 0, "1: a barrier inside the inner region"},
    };
    const struct Budget budget = read_options(argc, argv, options, 4);
    struct Shape shape = {(int)options[0].value, (int)options[1].value, (int)options[2].value};
    const bool barrier = options[3].value != 0;

    const int width = check(shape);
    void (*pass)(void*) = shape.inmost > 0 ? three_levels : barrier ? two_levels_with_barrier : two_levels;
    const struct Timing timing = measure(pass, &shape, &budget);

    json_open("nested");
    json_number("outer", shape.outer);
    json_number("inner", shape.inner);
    json_number("inmost", shape.inmost);
    json_number("barrier", barrier);
    json_number("innermost_team", width);
    json_timing(&timing);
    json_close();
    return 0;
}
