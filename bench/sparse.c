// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A parallel region now and then, as in a program with long serial parts: the encountering thread sleeps before each one, and
// so do the runtime's other threads, unless they spin meanwhile. Also the CPU time that the process takes for each region and
// pause. Whatever the budget, some regions are for the warm-up: a runtime may learn from the first ones how far apart they are.
#include "measure.h"

#include <omp.h>
#include <time.h>

static double region_s(int threads, long cycles) {
    const double begin = now_s();
#pragma omp parallel num_threads(threads)
    compute(cycles);
    return now_s() - begin;
}

int main(int argc, char** argv) {
    struct Option options[] = {
        {"threads", 2, "threads of each region"},
        {"cycles", 5000, "work of each thread"},
        {"pause", 10, "milliseconds before each region"},
    };
    const struct Budget budget = read_options(argc, argv, options, 3);
    const int threads = (int)options[0].value;
    const long cycles = (long)options[1].value;
    const struct timespec pause = {(time_t)(options[2].value / 1e3), (long)(options[2].value * 1e6) % 1000000000};

    enum { least_regions = 12, most_regions = 10000 };
    static double us[most_regions];
    const double begin = now_s();
    for (int warm = 0; warm < least_regions || now_s() - begin < budget.warm_up_s; warm++) {
        nanosleep(&pause, 0);
        region_s(threads, cycles);
    }
    const double deadline = now_s() + budget.measure_s, cpu_before = cpu_s();
    int count = 0;
    while (count < most_regions && (count < least_regions || now_s() < deadline)) {
        nanosleep(&pause, 0);
        us[count++] = 1e6 * region_s(threads, cycles);
    }
    const double cpu_us = 1e6 * (cpu_s() - cpu_before) / count;
    const struct Timing timing = timing_of(us, count, 1);

    json_open("sparse");
    json_number("threads", threads);
    json_number("cycles", (double)cycles);
    json_number("pause", options[2].value);
    json_timing(&timing);
    json_number("us_cpu", cpu_us);
    json_close();
    return 0;
}
