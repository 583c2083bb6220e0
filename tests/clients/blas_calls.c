// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// dgemm of the BLAS that this program is linked to, from one thread and from every thread of a parallel loop. All numbers
// are small integers, so every result is exact in any order of addition. Arguments: outer threads, calls of each, size, and
// the name of the BLAS's function that sets its number of threads, with that number.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

void dgemm_(const char*, const char*, const int*, const int*, const int*, const double*, const double*, const int*,
            const double*, const int*, const double*, double*, const int*);

// C = A B, where A(i, k) = (i + k) mod 7 and B(k, j) = (k + seed j) mod 5, by columns.
static int right(int n, int seed) {
    size_t size = (size_t)n * (size_t)n;
    double *a = malloc(size * sizeof *a), *b = malloc(size * sizeof *b), *c = malloc(size * sizeof *c);
    double one = 1, zero = 0;
    int good = 1;
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < n; ++i) {
            a[i + j * n] = (i + j) % 7;
            b[i + j * n] = (i + seed * j) % 5;
            c[i + j * n] = -1;
        }
    dgemm_("N", "N", &n, &n, &n, &one, a, &n, b, &n, &zero, c, &n);
    for (int j = 0; j < n; j += 7)
        for (int i = 0; i < n; i += 5) {
            long sum = 0;
            for (int k = 0; k < n; ++k) sum += (long)((i + k) % 7) * ((k + seed * j) % 5);
            good &= c[i + j * n] == (double)sum;
        }
    free(a);
    free(b);
    free(c);
    return good;
}

// The file that `entry` was loaded from; empty if there is none.
static const char* file_of(void* entry) {
    Dl_info info;
    return entry && dladdr(entry, &info) ? info.dli_fname : "";
}

int main(int argc, char** argv) {
    if (argc < 5) return 2;
    int outer = atoi(argv[1]), calls = atoi(argv[2]), n = atoi(argv[3]), wrong = 0;
    void (*set_threads)(long);
    *(void**)&set_threads = dlsym(RTLD_DEFAULT, argv[4]);
    if (!set_threads) {
        fprintf(stderr, "no %s\n", argv[4]);
        return 2;
    }
    set_threads(8);
    omp_set_max_active_levels(16);
    for (int i = 0; i < calls; ++i) wrong += !right(n, 1 + i % 4);
#pragma omp parallel for num_threads(outer) schedule(static, 1) reduction(+ : wrong)
    for (int i = 0; i < outer * calls; ++i) wrong += !right(n, 1 + i % 4);
    if (wrong != 0) printf("%d of %d products are wrong\n", wrong, calls + outer * calls);
    // The BLAS finds its runtime among what the process has loaded first, then among its own dependencies.
    Dl_info blas;
    void* const library = dladdr((void*)set_threads, &blas) ? dlopen(blas.dli_fname, RTLD_LAZY | RTLD_NOLOAD) : NULL;
    printf("{\"outer_on\": \"%s\", \"inner_on\": \"%s\"}\n", file_of(dlsym(RTLD_DEFAULT, "GOMP_parallel")),
           library ? file_of(dlsym(library, "GOMP_parallel")) : "");
    return wrong != 0;
}
