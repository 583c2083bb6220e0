// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The fast Fourier transform: a task for each half of the numbers, and tasks for the parts of each butterfly.
#include "work/fft.h"
#include "kernel.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>

enum { serial_length = 512, probes = 4 };

static const double pi = 3.14159265358979323846;

static double complex *signal, *spectrum;
static double complex probe_values[probes];
static long probe_at[probes];

static void butterfly(double complex* y, long half, long from, long to, long step, long depth) {
    if (depth >= cut_off || to - from <= serial_length) {
        butterfly_serially(y, half, from, to, step);
        return;
    }
    const long middle = (from + to) / 2;
    SPAWN(, butterfly(y, half, from, middle, step, depth + 1));
    SPAWN(, butterfly(y, half, middle, to, step, depth + 1));
#pragma omp taskwait
}

static void transform(const double complex* x, long stride, double complex* y, long count, long depth) {
    if (depth >= cut_off || count <= serial_length) {
        transform_serially(x, stride, y, count);
        return;
    }
    const long half = count / 2;
    SPAWN(, transform(x, 2 * stride, y, half, depth + 1));
    SPAWN(, transform(x + stride, 2 * stride, y + half, half, depth + 1));
#pragma omp taskwait
    butterfly(y, half, 0, half, n / count, depth);
}

static void prepare(long size) {
    uint64_t state = 3;
    for (n = 2 * serial_length; n < size; n *= 2) {}
    signal = malloc((size_t)n * sizeof *signal);
    spectrum = malloc((size_t)n * sizeof *spectrum);
    roots = malloc((size_t)n * sizeof *roots);
    if (signal == NULL || spectrum == NULL || roots == NULL) wrong("no memory for %ld complex numbers", n);
    for (long i = 0; i < n; i++) {
        signal[i] = (double)(next_random(&state) >> 40) / (1 << 24) - 0.5;
        roots[i] = cexp(-2 * pi * I * (double)i / (double)n);
    }
    for (int p = 0; p < probes; p++) {
        probe_at[p] = (long)(next_random(&state) % (uint64_t)n);
        for (long i = 0; i < n; i++) probe_values[p] += signal[i] * roots[i * probe_at[p] % n];
    }
}

static void run(void) { transform(signal, 1, spectrum, n, 0); }

static void check(void) {
    for (int p = 0; p < probes; p++)
        if (cabs(spectrum[probe_at[p]] - probe_values[p]) > 1e-9 * (double)n) wrong("the spectrum is off at %ld", probe_at[p]);
}

int main(int argc, char** argv) {
    const struct Kernel kernel = {"fft", 1 << 18, "numbers", 5, prepare, 0, run, check, 0};
    return run_kernel(argc, argv, &kernel);
}
