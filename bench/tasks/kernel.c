// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kernel.h"

#include <omp.h>
#include <stddef.h>

long cut_off = LONG_MAX;
bool untied;

struct Run {
    const struct Kernel* kernel;
    int threads;
    int serial;  // 0, or the number of cores by which the time of plain calls is divided
};

static void pass(void* context) {
    const struct Run* run = context;
    const struct Kernel* kernel = run->kernel;
    if (kernel->reset != NULL) kernel->reset();
    if (run->serial != 0) {
        kernel->run();
    } else {
#pragma omp parallel num_threads(run->threads)
        {
#pragma omp single
            kernel->run();
        }
    }
    kernel->check();
}

int run_kernel(int argc, char** argv, const struct Kernel* kernel) {
    struct Option options[] = {
        {"threads", 2, "threads of the team"},
        {"size", (double)kernel->size, kernel->size_help},
        {"cut-off", 0, "1: no tasks below a depth"},
        {"untied", 0, "1: untied tasks"},
        {"serial", 0, "plain calls, no region; their time by so many cores"},
    };
    const struct Budget budget = read_options(argc, argv, options, 5);
    struct Run run = {kernel, (int)options[0].value, (int)options[4].value};
    const long size = (long)options[1].value;
    cut_off = run.serial != 0 ? 0 : options[2].value != 0 ? kernel->cut_off : LONG_MAX;
    untied = options[3].value != 0;
    if (kernel->prepare != NULL) kernel->prepare(size);

    struct Timing timing = measure(pass, &run, &budget);
    if (run.serial > 1) {
        timing.median_us /= run.serial;
        timing.first_quartile_us /= run.serial;
        timing.third_quartile_us /= run.serial;
        timing.min_us /= run.serial;
    }
    json_open(kernel->name);
    json_number("threads", run.threads);
    json_number("size", (double)size);
    json_number("cut_off", cut_off == LONG_MAX ? -1 : (double)cut_off);
    json_number("untied", untied);
    json_timing(&timing);
    if (kernel->tasks != NULL && kernel->tasks() > 0 && cut_off == LONG_MAX) {
        json_number("tasks", (double)kernel->tasks());
        json_number("ns_a_task", 1000 * timing.median_us / (double)kernel->tasks());
    }
    json_close();
    return 0;
}
