// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Overheads of the clauses that give each thread an array of its own, by the method of epcc.h. A measurement includes the
// region or the single construct, and the copies.
#include "epcc.h"

static void touch(double* array) { __asm__ volatile("" : : "r"(array) : "memory"); }

#define PRAGMA(text) _Pragma(#text)

#define ARRAYS(size)                                                         \
    static double kept_##size[size];                                         \
    PRAGMA(omp threadprivate(kept_##size))                                   \
                                                                             \
    static void firstprivate_##size(int threads, int parameter, long uses) { \
        (void)parameter;                                                     \
        double array[size] = {1};                                            \
        for (long i = 0; i < uses; i++) {                                    \
            PRAGMA(omp parallel num_threads(threads) firstprivate(array)) {  \
                touch(array);                                                \
                delay();                                                     \
            }                                                                \
        }                                                                    \
    }                                                                        \
                                                                             \
    static void copyin_##size(int threads, int parameter, long uses) {       \
        (void)parameter;                                                     \
        for (long i = 0; i < uses; i++) {                                    \
            PRAGMA(omp parallel num_threads(threads) copyin(kept_##size)) {  \
                touch(kept_##size);                                          \
                delay();                                                     \
            }                                                                \
        }                                                                    \
    }                                                                        \
                                                                             \
    static void copyprivate_##size(int threads, int parameter, long uses) {  \
        (void)parameter;                                                     \
        PRAGMA(omp parallel num_threads(threads)) {                          \
            double array[size];                                              \
            for (long i = 0; i < uses; i++) {                                \
                PRAGMA(omp single copyprivate(array)) {                      \
                    touch(array);                                            \
                    delay();                                                 \
                }                                                            \
            }                                                                \
        }                                                                    \
    }

ARRAYS(1)
ARRAYS(81)
ARRAYS(2187)

#define MEASURED(size)                                                                                                  \
    {"firstprivate " #size, firstprivate_##size, 0, delays_all, 1}, {"copyin " #size, copyin_##size, 0, delays_all, 1}, \
        {"copyprivate " #size, copyprivate_##size, 0, delays_one, 1}

static const struct Construct constructs[] = {MEASURED(1), MEASURED(81), MEASURED(2187)};

int main(int argc, char** argv) {
    const struct EpccOptions options = read_epcc_options(argc, argv, usual_delay, 0, 0);
    for (unsigned i = 0; i < sizeof constructs / sizeof constructs[0]; i++)
        measure_construct("arrays", &constructs[i], &options);
    return 0;
}
