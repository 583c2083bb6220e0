// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A library's hand-made barrier, in the middle of each of many regions with more threads than processors. oneDNN's reductions
// have such barriers, and spin; OpenBLAS yields while it spins. Each thread computes, waits, and computes again.
#include "measure.h"

#include <omp.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>

static struct {
    atomic_int arrived;
    char apart[124];
    atomic_int sense;
} barrier;

static int threads, yields;
static long share;

static void wait_for_all(void) {
    const int sense = atomic_load(&barrier.sense);
    if (atomic_fetch_add(&barrier.arrived, 1) + 1 == threads) {
        atomic_store(&barrier.arrived, 0);
        atomic_store(&barrier.sense, !sense);
        return;
    }
    while (atomic_load(&barrier.sense) == sense) {
        if (yields) sched_yield();
#if defined(__x86_64__)
        __builtin_ia32_pause();
#endif
    }
}

static void region(void* null) {
    (void)null;
#pragma omp parallel num_threads(threads)
    {
        if (omp_get_num_threads() != threads) wrong("%d threads of %d", omp_get_num_threads(), threads);
        compute(share);
        wait_for_all();
        compute(share);
    }
}

int main(int argc, char** argv) {
    struct Option options[] = {
        {"threads", 8, "threads of a region"},
        {"cycles", 300000, "core cycles of work of each thread, half of them before the barrier"},
        {"yields", 0, "whether they yield while they spin"},
    };
    struct Budget budget = read_options(argc, argv, options, 3);
    threads = (int)options[0].value;
    share = (long)options[1].value / 2;
    yields = options[2].value != 0;
    struct Timing timing = measure(region, NULL, &budget);
    json_open("handmade");
    json_number("threads", threads);
    json_number("cycles", options[1].value);
    json_number("yields", yields);
    json_timing(&timing);
    json_close();
    return 0;
}
