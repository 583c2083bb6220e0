// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A parallel loop over grids, each transformed by FFTW, which is parallel inside as well: the shape of a
// plane-wave code's 3-D transform (BOLT paper, figure 13). Nothing here knows of Gossamer.
//
//   fft_loop N OUTER INNER GRIDS SECONDS
//
// Transforms GRIDS complex grids of N × N forward and back, on OUTER threads outside and INNER inside, for
// about SECONDS, and prints one JSON line: the median time of a pass over all grids, the same for
// single-threaded FFTW, and the largest relative difference between their results. Ends with status 1 if that
// is over 1e-10.
#define _GNU_SOURCE
#include <complex.h>
#include <dlfcn.h>
#include <fftw3.h>
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { max_samples = 512 };

struct Work {
    int n;
    int outer;  // 0: a plain loop on one thread
    int grids;
    fftw_plan forward;
    fftw_plan backward;
    fftw_complex* input;
    fftw_complex* spectrum;
    fftw_complex* output;
};

static double now_s(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void die(const char* why) {
    fprintf(stderr, "fft_loop: %s\n", why);
    exit(2);
}

static size_t cells(const struct Work* work) { return (size_t)work->n * (size_t)work->n; }

static fftw_complex* grid_memory(const struct Work* work) {
    fftw_complex* memory = fftw_alloc_complex((size_t)work->grids * cells(work));
    if (memory == NULL) die("no memory for the grids");
    return memory;
}

static void transform(const struct Work* work, int grid) {
    const size_t at = (size_t)grid * cells(work);
    fftw_execute_dft(work->forward, work->input + at, work->spectrum + at);
    fftw_execute_dft(work->backward, work->spectrum + at, work->output + at);
}

static void pass(const struct Work* work) {
    if (work->outer == 0) {
        for (int grid = 0; grid < work->grids; grid++) transform(work, grid);
        return;
    }
#pragma omp parallel for num_threads(work->outer)
    for (int grid = 0; grid < work->grids; grid++) transform(work, grid);
}

// FFTW_ESTIMATE: the same plan on every runtime, chosen without a clock.
static void make_plans(struct Work* work, int threads) {
    fftw_plan_with_nthreads(threads);
    work->forward = fftw_plan_dft_2d(work->n, work->n, work->input, work->spectrum, FFTW_FORWARD, FFTW_ESTIMATE);
    work->backward =
        fftw_plan_dft_2d(work->n, work->n, work->spectrum, work->output, FFTW_BACKWARD, FFTW_ESTIMATE | FFTW_PRESERVE_INPUT);
    if (work->forward == NULL || work->backward == NULL) die("FFTW makes no plan for this size");
}

static int ascending(const void* a, const void* b) {
    const double x = *(const double*)a;
    const double y = *(const double*)b;
    return (x > y) - (x < y);
}

// The median time of a pass in milliseconds; at least one pass is measured after one that warms up.
static double time_passes(const struct Work* work, double seconds) {
    static double samples[max_samples];
    int count = 0;
    pass(work);
    const double end = now_s() + seconds;
    do {
        const double begin = now_s();
        pass(work);
        samples[count++] = 1e3 * (now_s() - begin);
    } while (count < max_samples && now_s() < end);
    qsort(samples, (size_t)count, sizeof samples[0], ascending);
    return samples[count / 2];
}

// The largest distance of two results relative to the largest value; not a number counts as infinitely far.
static double difference(const fftw_complex* a, const fftw_complex* b, size_t count) {
    double largest = 0;
    double farthest = 0;
    for (size_t i = 0; i < count; i++) {
        const double distance = cabs(a[i] - b[i]);
        if (!isfinite(distance)) return INFINITY;
        farthest = fmax(farthest, distance);
        largest = fmax(largest, cabs(b[i]));
    }
    return largest > 0 ? farthest / largest : INFINITY;
}

// Which file serves one of the process's OpenMP entry points.
static const char* served_by(const char* entry) {
    void* address = dlsym(RTLD_DEFAULT, entry);
    Dl_info info;
    return address != NULL && dladdr(address, &info) != 0 ? info.dli_fname : "none";
}

int main(int argc, char** argv) {
    if (argc != 6) die("usage: fft_loop N OUTER INNER GRIDS SECONDS");
    struct Work nested = {.n = atoi(argv[1]), .outer = atoi(argv[2]), .grids = atoi(argv[4])};
    const int inner = atoi(argv[3]);
    const double seconds = atof(argv[5]);
    if (nested.n < 2 || nested.outer < 1 || inner < 1 || nested.grids < 1 || !(seconds > 0))
        die("sizes and counts must be positive");

    if (fftw_init_threads() == 0) die("FFTW cannot start its threads");
    const size_t all = (size_t)nested.grids * cells(&nested);
    nested.input = grid_memory(&nested);
    nested.spectrum = grid_memory(&nested);
    nested.output = grid_memory(&nested);
    struct Work alone = nested;
    alone.outer = 0;
    alone.spectrum = grid_memory(&alone);
    alone.output = grid_memory(&alone);
    make_plans(&nested, inner);
    make_plans(&alone, 1);

    srand48(20);
    for (size_t i = 0; i < all; i++) nested.input[i] = (drand48() - 0.5) + I * (drand48() - 0.5);
    memset(nested.spectrum, 0xff, all * sizeof(fftw_complex));  // not a number, wherever nothing is written
    memset(nested.output, 0xff, all * sizeof(fftw_complex));

    const double alone_ms = time_passes(&alone, seconds / 3);
    const double nested_ms = time_passes(&nested, seconds);

    // Once more on clean memory: what is compared is one pass's own work.
    memset(nested.spectrum, 0xff, all * sizeof(fftw_complex));
    memset(nested.output, 0xff, all * sizeof(fftw_complex));
    pass(&nested);
    const double error = fmax(difference(nested.spectrum, alone.spectrum, all), difference(nested.output, alone.output, all));

    // clang's code starts the outer region through its own interface; Debian's FFTW is gcc's.
#if defined(__clang__)
    const char* outer_entry = "__kmpc_fork_call";
#else
    const char* outer_entry = "GOMP_parallel";
#endif
    printf("{\"ms\": %.6g, \"alone_ms\": %.6g, \"error\": %.3g, \"outer_on\": \"%s\", \"inner_on\": \"%s\"}\n", nested_ms,
           alone_ms, isfinite(error) ? error : 1e300, served_by(outer_entry), served_by("GOMP_parallel"));
    return error <= 1e-10 ? 0 : 1;
}
