// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Overheads of the synchronising constructs, by the method of epcc.h.
#include "epcc.h"

#include <omp.h>

static omp_lock_t shared_lock;
static double shared_sum;

static void use_parallel(int threads, int parameter, long uses) {
    (void)parameter;
    for (long i = 0; i < uses; i++) {
#pragma omp parallel num_threads(threads)
        delay();
    }
}

static void use_for(int threads, int parameter, long uses) {
    (void)parameter;
#pragma omp parallel num_threads(threads)
    for (long i = 0; i < uses; i++) {
#pragma omp for
        for (int j = 0; j < threads; j++) delay();
    }
}

static void use_barrier(int threads, int parameter, long uses) {
    (void)parameter;
#pragma omp parallel num_threads(threads)
    for (long i = 0; i < uses; i++) {
        delay();
#pragma omp barrier
    }
}

static void use_single(int threads, int parameter, long uses) {
    (void)parameter;
#pragma omp parallel num_threads(threads)
    for (long i = 0; i < uses; i++) {
#pragma omp single
        delay();
    }
}

static void use_critical(int threads, int parameter, long uses) {
    (void)parameter;
#pragma omp parallel num_threads(threads)
    for (long i = omp_get_thread_num(); i < uses; i += threads) {
#pragma omp critical
        delay();
    }
}

static void use_lock(int threads, int parameter, long uses) {
    (void)parameter;
#pragma omp parallel num_threads(threads)
    for (long i = omp_get_thread_num(); i < uses; i += threads) {
        omp_set_lock(&shared_lock);
        delay();
        omp_unset_lock(&shared_lock);
    }
}

// Each thread has a lock of its own: the cost of taking a free lock.
static void use_own_lock(int threads, int parameter, long uses) {
    (void)parameter;
#pragma omp parallel num_threads(threads)
    {
        omp_lock_t own;
        omp_init_lock(&own);
        for (long i = 0; i < uses; i++) {
            omp_set_lock(&own);
            delay();
            omp_unset_lock(&own);
        }
        omp_destroy_lock(&own);
    }
}

static void use_ordered(int threads, int parameter, long uses) {
    (void)parameter;
#pragma omp parallel for ordered schedule(static, 1) num_threads(threads)
    for (long i = 0; i < uses; i++) {
#pragma omp ordered
        delay();
    }
}

// The only construct without a delay: each use is one update of one variable, and all threads share the uses.
static void use_atomic(int threads, int parameter, long uses) {
    (void)parameter;
#pragma omp parallel num_threads(threads)
    for (long i = omp_get_thread_num(); i < uses; i += threads) {
#pragma omp atomic
        shared_sum += 1;
    }
}

static void use_reduction(int threads, int parameter, long uses) {
    (void)parameter;
    long sum = 0;
    for (long i = 0; i < uses; i++) {
#pragma omp parallel reduction(+ : sum) num_threads(threads)
        {
            delay();
            sum++;
        }
    }
    // A region has one thread where the setting switches inner regions off.
    if (sum != uses * threads && sum != uses) wrong("a reduction added up to %ld instead of %ld", sum, uses * threads);
}

static const struct Construct constructs[] = {
    {"parallel", use_parallel, 0, delays_all, 1},   {"for", use_for, 0, delays_all, 1},
    {"barrier", use_barrier, 0, delays_all, 1},     {"single", use_single, 0, delays_one, 1},
    {"critical", use_critical, 0, delays_turns, 1}, {"lock", use_lock, 0, delays_turns, 1},
    {"own lock", use_own_lock, 0, delays_all, 1},   {"ordered", use_ordered, 0, delays_one, 1},
    {"atomic", use_atomic, 0, delays_none, 0},      {"reduction", use_reduction, 0, delays_all, 1},
};

int main(int argc, char** argv) {
    const struct EpccOptions options = read_epcc_options(argc, argv, usual_delay, 0, 0);
    omp_init_lock(&shared_lock);
    for (unsigned i = 0; i < sizeof constructs / sizeof constructs[0]; i++) measure_construct("sync", &constructs[i], &options);
    omp_destroy_lock(&shared_lock);
    return 0;
}
