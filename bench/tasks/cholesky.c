// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Cholesky factorisation of a matrix of tiles by dependences between tasks, one for each operation on a tile.
// The operations are those of a BLAS and a LAPACK if such libraries are found (blas=1), or plain loops.
#include "kernel.h"

#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int b;   // rows of a tile
static long n;  // tiles in a row
static double** given;
static double** tiles;
static double expected;

// The Fortran interface, for the lower triangle, with numbers stored by columns.
typedef void (*Potrf)(const char*, const int*, double*, const int*, int*);
typedef void (*Trsm)(const char*, const char*, const char*, const char*, const int*, const int*, const double*, const double*,
                     const int*, double*, const int*);
typedef void (*Syrk)(const char*, const char*, const int*, const int*, const double*, const double*, const int*, const double*,
                     double*, const int*);
typedef void (*Gemm)(const char*, const char*, const int*, const int*, const int*, const double*, const double*, const int*,
                     const double*, const int*, const double*, double*, const int*);
static Potrf blas_potrf;
static Trsm blas_trsm;
static Syrk blas_syrk;
static Gemm blas_gemm;

static bool find_blas(void) {
    static const char* const names[] = {"libopenblas.so.0", "liblapack.so.3", "libblas.so.3"};
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++) dlopen(names[i], RTLD_NOW | RTLD_GLOBAL);
    // One thread executes each operation: the only parallelism is that of the tasks.
    void (*set_threads)(int) = (void (*)(int))dlsym(RTLD_DEFAULT, "openblas_set_num_threads");
    if (set_threads != NULL) set_threads(1);
    blas_potrf = (Potrf)dlsym(RTLD_DEFAULT, "dpotrf_");
    blas_trsm = (Trsm)dlsym(RTLD_DEFAULT, "dtrsm_");
    blas_syrk = (Syrk)dlsym(RTLD_DEFAULT, "dsyrk_");
    blas_gemm = (Gemm)dlsym(RTLD_DEFAULT, "dgemm_");
    return blas_potrf != NULL && blas_trsm != NULL && blas_syrk != NULL && blas_gemm != NULL;
}

static const double one = 1, minus_one = -1;

static void factorise(double* d) {
    if (blas_potrf != NULL) {
        int info;
        blas_potrf("L", &b, d, &b, &info);
        return;
    }
    for (int k = 0; k < b; k++) {
        d[k * b + k] = sqrt(d[k * b + k]);
        for (int i = k + 1; i < b; i++) d[k * b + i] /= d[k * b + k];
        for (int j = k + 1; j < b; j++)
            for (int i = j; i < b; i++) d[j * b + i] -= d[k * b + i] * d[k * b + j];
    }
}

// x = x d^-T
static void solve(const double* d, double* x) {
    if (blas_trsm != NULL) {
        blas_trsm("R", "L", "T", "N", &b, &b, &one, d, &b, x, &b);
        return;
    }
    for (int k = 0; k < b; k++) {
        for (int i = 0; i < b; i++) x[k * b + i] /= d[k * b + k];
        for (int j = k + 1; j < b; j++)
            for (int i = 0; i < b; i++) x[j * b + i] -= x[k * b + i] * d[k * b + j];
    }
}

// z = z - x y^T
static void update(const double* x, const double* y, double* z) {
    if (blas_gemm != NULL && x != y) {
        blas_gemm("N", "T", &b, &b, &b, &minus_one, x, &b, y, &b, &one, z, &b);
        return;
    }
    if (blas_syrk != NULL && x == y) {
        blas_syrk("L", "N", &b, &b, &minus_one, x, &b, &one, z, &b);
        return;
    }
    for (int j = 0; j < b; j++)
        for (int k = 0; k < b; k++)
            for (int i = 0; i < b; i++) z[j * b + i] -= x[k * b + i] * y[k * b + j];
}

static void run(void) {
    for (long k = 0; k < n; k++) {
        double* d = tiles[k * n + k];
#pragma omp task firstprivate(d) depend(inout : d[0])
        factorise(d);
        for (long i = k + 1; i < n; i++) {
            double* x = tiles[i * n + k];
#pragma omp task firstprivate(d, x) depend(in : d[0]) depend(inout : x[0])
            solve(d, x);
        }
        for (long i = k + 1; i < n; i++) {
            double* x = tiles[i * n + k];
            for (long j = k + 1; j < i; j++) {
                double *y = tiles[j * n + k], *z = tiles[i * n + j];
#pragma omp task firstprivate(x, y, z) depend(in : x[0], y[0]) depend(inout : z[0])
                update(x, y, z);
            }
            double* z = tiles[i * n + i];
#pragma omp task firstprivate(x, z) depend(in : x[0]) depend(inout : z[0])
            update(x, x, z);
        }
    }
}

static void reset(void) {
    for (long i = 0; i < n; i++)
        for (long j = 0; j <= i; j++) memcpy(tiles[i * n + j], given[i * n + j], (size_t)(b * b) * sizeof(double));
}

// The factor times its transpose times the vector of ones must be the matrix times that vector.
static double residual(void) {
    const long rows = n * b;
    double *inner = calloc((size_t)rows, sizeof *inner), *product = calloc((size_t)rows, sizeof *product);
    double worst = 0;
    if (inner == NULL || product == NULL) wrong("no memory for %ld numbers", rows);
    for (long row = 0; row < rows; row++)
        for (long column = 0; column <= row; column++)
            inner[column] += tiles[row / b * n + column / b][column % b * b + row % b];
    for (long row = 0; row < rows; row++)
        for (long column = 0; column <= row; column++)
            product[row] += tiles[row / b * n + column / b][column % b * b + row % b] * inner[column];
    for (long row = 0; row < rows; row++) {
        double sum = 0;
        for (long column = 0; column < rows; column++) {
            const long high = row > column ? row : column, low = row > column ? column : row;
            sum += given[high / b * n + low / b][low % b * b + high % b];
        }
        worst = fmax(worst, fabs(sum - product[row]));
    }
    free(inner);
    free(product);
    return worst;
}

static double digest(void) {
    double sum = 0;
    for (long i = 0; i < n; i++)
        for (long j = 0; j < i; j++)
            for (int k = 0; k < b * b; k++) sum += tiles[i * n + j][k] * (1 + (i + j + k) % 5);
    return sum;
}

static void pass(void* context) {
    const int threads = *(const int*)context;
    reset();
#pragma omp parallel num_threads(threads)
    {
#pragma omp single
        run();
    }
    if (fabs(digest() - expected) > 1e-9 * fabs(expected)) wrong("the factor's digest is %g, not %g", digest(), expected);
}

int main(int argc, char** argv) {
    struct Option options[] = {
        {"threads", 2, "threads of the team"},
        {"tiles", 16, "tiles in a row"},
        {"rows", 32, "rows of a tile"},
        {"blas", 0, "1: operations of a BLAS, where one is found"},
    };
    const struct Budget budget = read_options(argc, argv, options, 4);
    int threads = (int)options[0].value;
    uint64_t state = 9;
    n = (long)options[1].value;
    b = (int)options[2].value;
    const bool blas = options[3].value != 0 && find_blas();
    if (!blas) blas_potrf = NULL, blas_trsm = NULL, blas_syrk = NULL, blas_gemm = NULL;
    given = calloc((size_t)(n * n), sizeof *given);
    tiles = calloc((size_t)(n * n), sizeof *tiles);
    for (long i = 0; i < n && given != NULL && tiles != NULL; i++)
        for (long j = 0; j <= i; j++) {
            double* tile = given[i * n + j] = malloc((size_t)(b * b) * sizeof *tile);
            tiles[i * n + j] = malloc((size_t)(b * b) * sizeof *tile);
            if (tile == NULL || tiles[i * n + j] == NULL) wrong("no memory for %ld by %ld tiles", n, n);
            for (int k = 0; k < b * b; k++) tile[k] = (double)(next_random(&state) >> 40) / (1 << 24);
            for (int k = 0; k < b && i == j; k++) tile[k * b + k] += (double)(n * b);
            for (int r = 0; r < b && i == j; r++)
                for (int c = r + 1; c < b; c++) tile[c * b + r] = tile[r * b + c];
        }
    reset();
    run();  // outside of a region each task is a call
    expected = digest();
    if (residual() > 1e-8 * (double)(n * b) * (double)(n * b)) wrong("the factor is off by %g", residual());

    const struct Timing timing = measure(pass, &threads, &budget);
    const double tasks = (double)n * (double)(n + 1) * (double)(n + 2) / 6;
    json_open("cholesky");
    json_number("threads", threads);
    json_number("tiles", (double)n);
    json_number("rows", b);
    json_text("operations", blas ? "blas" : "loops");
    json_timing(&timing);
    json_number("ns_a_task", 1000 * timing.median_us / tasks);
    json_close();
    return 0;
}
