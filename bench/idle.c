// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The cost of a process that has left its last region: regions one after another for a while, a pause, then the CPU time
// that all threads of the process take in one second, in per cent of a core.
#include "measure.h"

#include <omp.h>
#include <unistd.h>

int main(int argc, char** argv) {
    struct Option options[] = {
        {"threads", 2, "threads of each region"},
        {"inner", 1, "threads of a region inside it"},
        {"pause", 100, "milliseconds between the last region and the measurement"},
    };
    const struct Budget budget = read_options(argc, argv, options, 3);
    int threads = (int)options[0].value, inner = (int)options[1].value;
    long regions = 0;
    const double begin = now_s(), end = begin + budget.measure_s;
    double now;
    do {
#pragma omp parallel num_threads(threads)
        if (inner > 1) {
#pragma omp parallel num_threads(inner)
            empty(0, 0);
        }
        regions++;
    } while ((now = now_s()) < end);
    usleep((useconds_t)(1e3 * options[2].value));
    const double before = cpu_s(), from = now_s();
    sleep(1);
    json_open("idle");
    json_number("region_us", 1e6 * (now - begin) / (double)regions);
    json_number("percent_of_a_core", 100 * (cpu_s() - before) / (now_s() - from));
    json_close();
    return 0;
}
