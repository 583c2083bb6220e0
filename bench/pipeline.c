// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pipeline of LU in the NAS benchmarks: each thread does its share of a plane when its left neighbour has done its own.
// Each thread has a flag, on which its neighbour spins with flush, without a yield. The work of a plane does not depend on
// the number of threads, so the times should not either.
#include "measure.h"

#include <omp.h>
#include <stdlib.h>

struct Flag {
    int up;
    char apart[124];
};

int main(int argc, char** argv) {
    struct Option options[] = {
        {"threads", 2, "threads of the pipeline"},
        {"planes", 1000, "planes of a pass"},
        {"cycles", 40000, "core cycles of work a plane, over all threads"},
        {"passes", 3, "passes, of which the median counts"},
    };
    read_options(argc, argv, options, 4);
    int threads = (int)options[0].value, planes = (int)options[1].value, passes = (int)options[3].value;
    long share = (long)options[2].value / threads;
    struct Flag* flags = calloc((size_t)threads, sizeof *flags);
    int* done = calloc((size_t)threads, sizeof *done);
    double times[64];
    if (passes < 1 || passes > 64 || flags == NULL || done == NULL) wrong("cannot make %d passes", passes);

    for (int pass = -1; pass < passes; ++pass) {
        int early = 0, count = pass < 0 ? 2 : planes;  // the pass before the first starts the threads
        double begin = now_s();
#pragma omp parallel num_threads(threads) reduction(+ : early)
        {
            int me = omp_get_thread_num(), up;
            done[me] = 0;
#pragma omp barrier
            for (int plane = 0; plane < count; ++plane) {
                if (me > 0) {
                    do {
#pragma omp flush
#pragma omp atomic read
                        up = flags[me - 1].up;
                    } while (up == 0);
                    early += done[me - 1] < plane + 1;
#pragma omp atomic write
                    flags[me - 1].up = 0;
#pragma omp flush
                }
                compute(share);
                done[me] = plane + 1;
                if (me < threads - 1) {
                    do {
#pragma omp flush
#pragma omp atomic read
                        up = flags[me].up;
                    } while (up == 1);
#pragma omp flush
#pragma omp atomic write
                    flags[me].up = 1;
#pragma omp flush
                }
            }
        }
        if (early != 0) wrong("%d planes were begun before their neighbour's was done", early);
        if (pass >= 0) times[pass] = now_s() - begin;
    }
    for (int i = 1; i < passes; ++i)
        for (int j = i; j > 0 && times[j] < times[j - 1]; --j) {
            double t = times[j];
            times[j] = times[j - 1];
            times[j - 1] = t;
        }
    json_open("pipeline");
    json_number("threads", threads);
    json_number("ms", 1e3 * times[passes / 2]);
    json_close();
    return 0;
}
