// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every thread of a team uses FFTW on its own: it makes its plans, executes and destroys them, round after
// round. FFTW's planner is not safe to share (its OpenMP library has no lock of its own), so the program
// guards it with a pthread mutex: there the team's threads block each other as kernel threads would, while
// other threads start the inner regions of their plans.
//
//   fftw_plans OUTER INNER ROUNDS
//
// Prints one line; ends with status 1 if a result differs from single-threaded FFTW by more than 1e-10.
#include <complex.h>
#include <fftw3.h>
#include <math.h>
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { sizes = 4 };
static const int size_of[sizes] = {48, 64, 72, 96};

static pthread_mutex_t planner = PTHREAD_MUTEX_INITIALIZER;

struct Grid {
    fftw_complex* input;
    fftw_complex* expected;
};

static fftw_complex* grid_memory(int n) {
    fftw_complex* memory = fftw_alloc_complex((size_t)n * (size_t)n);
    if (memory == NULL) {
        fprintf(stderr, "fftw_plans: no memory\n");
        exit(2);
    }
    return memory;
}

static struct Grid make_grid(int n) {
    struct Grid grid = {grid_memory(n), grid_memory(n)};
    for (int i = 0; i < n * n; i++) grid.input[i] = (drand48() - 0.5) + I * (drand48() - 0.5);
    fftw_plan_with_nthreads(1);
    fftw_plan plan = fftw_plan_dft_2d(n, n, grid.input, grid.expected, FFTW_FORWARD, FFTW_ESTIMATE);
    fftw_execute(plan);
    fftw_destroy_plan(plan);
    return grid;
}

static double difference(const fftw_complex* a, const fftw_complex* b, int count) {
    double largest = 0;
    double farthest = 0;
    for (int i = 0; i < count; i++) {
        const double distance = cabs(a[i] - b[i]);
        if (!isfinite(distance)) return INFINITY;
        farthest = fmax(farthest, distance);
        largest = fmax(largest, cabs(b[i]));
    }
    return farthest / largest;
}

// One thread's whole use of the library. Returns the distance of its result from the expected one.
static double plan_and_transform(const struct Grid* grid, int n) {
    fftw_complex* output = grid_memory(n);
    memset(output, 0xff, (size_t)n * (size_t)n * sizeof *output);
    pthread_mutex_lock(&planner);
    fftw_plan plan = fftw_plan_dft_2d(n, n, grid->input, output, FFTW_FORWARD, FFTW_ESTIMATE);
    pthread_mutex_unlock(&planner);
    fftw_execute(plan);
    pthread_mutex_lock(&planner);
    fftw_destroy_plan(plan);
    pthread_mutex_unlock(&planner);
    const double error = difference(output, grid->expected, n * n);
    fftw_free(output);
    return error;
}

int main(int argc, char** argv) {
    const int outer = argc > 1 ? atoi(argv[1]) : 3;
    const int inner = argc > 2 ? atoi(argv[2]) : 8;
    const int rounds = argc > 3 ? atoi(argv[3]) : 10;

    if (fftw_init_threads() == 0) return 2;
    srand48(7);
    struct Grid grids[sizes];
    for (int i = 0; i < sizes; i++) grids[i] = make_grid(size_of[i]);
    fftw_plan_with_nthreads(inner);

    double worst = 0;
    int ran = 0;
#pragma omp parallel num_threads(outer) reduction(max : worst) reduction(+ : ran)
    for (int round = 0; round < rounds; round++) {
        const int i = (omp_get_thread_num() + round) % sizes;
        worst = fmax(worst, plan_and_transform(&grids[i], size_of[i]));
        ran++;
    }
    const int right = worst <= 1e-10 && ran == outer * rounds;
    printf("%d of %d transforms, %s\n", ran, outer * rounds, right ? "equal to 1e-10" : "WRONG");
    return right ? 0 : 1;
}
