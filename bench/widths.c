// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Empty regions whose widths alternate between a narrow and a wide one. Reports regions a second, and the process's
// resident memory after a tenth of the time and at the end.
#include "measure.h"

#include <omp.h>
#include <stdio.h>
#include <unistd.h>

static double resident_kib(void) {
    long pages = 0, resident = 0;
    FILE* file = fopen("/proc/self/statm", "r");
    if (file == NULL || fscanf(file, "%ld %ld", &pages, &resident) != 2) wrong("cannot read /proc/self/statm");
    fclose(file);
    return (double)resident * (double)sysconf(_SC_PAGESIZE) / 1024;
}

int main(int argc, char** argv) {
    struct Option options[] = {{"narrow", 2, "threads of one region"}, {"wide", 32, "threads of the next"}};
    const struct Budget budget = read_options(argc, argv, options, 2);
    const int widths[2] = {(int)options[0].value, (int)options[1].value};
    long regions = 0;
    double early = 0, late;
    const double begin = now_s();
    double now = begin;
    while (now < begin + budget.measure_s || regions < 20) {
        for (int i = 0; i < 2; ++i) {
            int seen = 0;
#pragma omp parallel num_threads(widths[i]) reduction(+ : seen)
            seen++;
            if (seen != widths[i]) wrong("a region of %d threads ran on %d", widths[i], seen);
        }
        regions += 2;
        now = now_s();
        if (early == 0 && now > begin + budget.measure_s / 10) early = resident_kib();
    }
    late = resident_kib();
    json_open("widths");
    json_number("regions_per_second", (double)regions / (now - begin));
    json_number("early_kib", early);
    json_number("late_kib", late);
    json_close();
    return 0;
}
