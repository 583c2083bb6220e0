// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Overheads of the loop schedules with chunks from 1 to 128, by the method of epcc.h. Many loops share the cost of the
// region around them. A thread has as many iterations as in EPCC's schedbench (version 3), so the last chunk is a thread's
// whole share.
#include "epcc.h"

#include <omp.h>
#include <stdio.h>

enum { largest_chunk = 128 };

static int iterations_a_thread;

// The static schedule without a chunk.
static void use_block(int threads, int chunk, long uses) {
    (void)chunk;
#pragma omp parallel num_threads(threads)
    for (long i = 0; i < uses; i++) {
#pragma omp for schedule(static)
        for (int j = 0; j < iterations_a_thread * threads; j++) delay();
    }
}

static void use_static(int threads, int chunk, long uses) {
#pragma omp parallel num_threads(threads)
    for (long i = 0; i < uses; i++) {
#pragma omp for schedule(static, chunk)
        for (int j = 0; j < iterations_a_thread * threads; j++) delay();
    }
}

static void use_dynamic(int threads, int chunk, long uses) {
#pragma omp parallel num_threads(threads)
    for (long i = 0; i < uses; i++) {
#pragma omp for schedule(dynamic, chunk)
        for (int j = 0; j < iterations_a_thread * threads; j++) delay();
    }
}

static void use_guided(int threads, int chunk, long uses) {
#pragma omp parallel num_threads(threads)
    for (long i = 0; i < uses; i++) {
#pragma omp for schedule(guided, chunk)
        for (int j = 0; j < iterations_a_thread * threads; j++) delay();
    }
}

static void measure_schedule(const char* kind, void (*use)(int, int, long), int chunk, const struct EpccOptions* options) {
    char name[32];
    snprintf(name, sizeof name, "%s,%d", kind, chunk);
    const struct Construct construct = {name, use, chunk, delays_all, iterations_a_thread};
    measure_construct("schedule", &construct, options);
}

int main(int argc, char** argv) {
    struct Option own[] = {
        {"iterations", largest_chunk, "iterations a thread of each loop"},
        {"step", 2, "from one chunk to the next, times this"},
    };
    const struct EpccOptions options = read_epcc_options(argc, argv, 64, own, 2);
    iterations_a_thread = (int)own[0].value;
    const int step = own[1].value < 2 ? 2 : (int)own[1].value;

    for (int chunk = 1;; chunk = chunk * step < largest_chunk ? chunk * step : largest_chunk) {
        measure_schedule("static", chunk == iterations_a_thread ? use_block : use_static, chunk, &options);
        measure_schedule("dynamic", use_dynamic, chunk, &options);
        measure_schedule("guided", use_guided, chunk, &options);
        if (chunk == largest_chunk) break;
    }
    return 0;
}
