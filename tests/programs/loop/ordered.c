// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ordered: iterations pass in sequence under every schedule, also where some iterations have no ordered region
// or are late.
#include "check.h"

#define ORDERED(name, ...)                                      \
    static void name(int width) {                               \
        int next = 0, wrong = 0, inside = 0;                    \
        _Pragma("omp parallel num_threads(width)") {            \
            _Pragma(__VA_ARGS__) for (int i = 0; i < 60; ++i) { \
                volatile int work = i % 7;                      \
                while (work > 0) work = work - 1;               \
                _Pragma("omp ordered") {                        \
                    wrong += inside++ != 0;                     \
                    wrong += next != i;                         \
                    next = i + 1;                               \
                    inside--;                                   \
                }                                               \
            }                                                   \
        }                                                       \
        EXPECT_EQ(next, 60);                                    \
        EXPECT_EQ(wrong, 0);                                    \
    }

ORDERED(ordered_default, "omp for ordered")
ORDERED(ordered_static, "omp for ordered schedule(static)")
ORDERED(ordered_static_1, "omp for ordered schedule(static, 1)")
ORDERED(ordered_static_7, "omp for ordered schedule(static, 7)")
ORDERED(ordered_dynamic, "omp for ordered schedule(dynamic)")
ORDERED(ordered_dynamic_4, "omp for ordered schedule(dynamic, 4)")
ORDERED(ordered_guided, "omp for ordered schedule(guided)")
ORDERED(ordered_auto, "omp for ordered schedule(auto)")
ORDERED(ordered_runtime, "omp for ordered schedule(runtime)")

static void not_every_iteration(int width) {
    int order[100], count = 0;
#pragma omp parallel for num_threads(width) ordered schedule(dynamic, 3)
    for (int i = 0; i < 100; ++i)
        if (i % 3 == 1) {
#pragma omp ordered
            order[count++] = i;
        }
    EXPECT_EQ(count, 33);
    for (int i = 0; i < count; ++i) EXPECT_EQ(order[i], 3 * i + 1);
}

static void downwards(int width) {
    long next = 50, wrong = 0;
#pragma omp parallel for num_threads(width) ordered schedule(dynamic)
    for (long i = 50; i > 0; i -= 2) {
#pragma omp ordered
        {
            wrong += next != i;
            next = i - 2;
        }
    }
    EXPECT_EQ(next, 0);
    EXPECT_EQ(wrong, 0);
}

static void unsigned_long_long(int width) {
    unsigned long long next = 10, wrong = 0;
#pragma omp parallel for num_threads(width) ordered schedule(guided)
    for (unsigned long long i = 10; i < 70; i += 3) {
#pragma omp ordered
        {
            wrong += next != i;
            next = i + 3;
        }
    }
    EXPECT_EQ(next, 70);
    EXPECT_EQ(wrong, 0);
}

static void nowait_chain(int width) {
    int next[12] = {0}, wrong = 0;
#pragma omp parallel num_threads(width)
    {
        for (int loop = 0; loop < 12; ++loop) {
#pragma omp for ordered schedule(dynamic) nowait
            for (int i = 0; i < 10; ++i) {
#pragma omp ordered
                {
                    if (next[loop] != i) {
#pragma omp atomic
                        wrong++;
                    }
                    next[loop] = i + 1;
                }
            }
        }
    }
    for (int loop = 0; loop < 12; ++loop) EXPECT_EQ(next[loop], 10);
    EXPECT_EQ(wrong, 0);
}

static void collapsed(int width) {
    int next = 0, wrong = 0;
#pragma omp parallel for num_threads(width) ordered collapse(2) schedule(static, 2)
    for (int i = 0; i < 6; ++i)
        for (int j = 0; j < 7; ++j) {
#pragma omp ordered
            {
                wrong += next != 7 * i + j;
                next = 7 * i + j + 1;
            }
        }
    EXPECT_EQ(next, 42);
    EXPECT_EQ(wrong, 0);
}

int main(void) {
    check("default", ordered_default);
    check("static", ordered_static);
    check("static-1", ordered_static_1);
    check("static-7", ordered_static_7);
    check("dynamic", ordered_dynamic);
    check("dynamic-4", ordered_dynamic_4);
    check("guided", ordered_guided);
    check("auto", ordered_auto);
    check("runtime", ordered_runtime);
    check("not-every-iteration", not_every_iteration);
    check("downwards", downwards);
    check("unsigned-long-long", unsigned_long_long);
    check("nowait-chain", nowait_chain);
    check("collapsed", collapsed);
    return check_done();
}
