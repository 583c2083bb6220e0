// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One empty parallel region after other work, as in a program: each thread has called thousands of other functions since the
// last region, so the core foretells few of the runtime's branches, and most of its code has left the first-level cache.
#include "measure.h"

#include <omp.h>

#define EACH_16(make, n) \
    make(n##0) make(n##1) make(n##2) make(n##3) make(n##4) make(n##5) make(n##6) make(n##7) \
    make(n##8) make(n##9) make(n##a) make(n##b) make(n##c) make(n##d) make(n##e) make(n##f)
#define EACH_256(make, n) \
    EACH_16(make, n##0) EACH_16(make, n##1) EACH_16(make, n##2) EACH_16(make, n##3) EACH_16(make, n##4) EACH_16(make, n##5) \
    EACH_16(make, n##6) EACH_16(make, n##7) EACH_16(make, n##8) EACH_16(make, n##9) EACH_16(make, n##a) EACH_16(make, n##b) \
    EACH_16(make, n##c) EACH_16(make, n##d) EACH_16(make, n##e) EACH_16(make, n##f)
#define EACH(make, n) \
    EACH_256(make, n##0) EACH_256(make, n##1) EACH_256(make, n##2) EACH_256(make, n##3) EACH_256(make, n##4) \
    EACH_256(make, n##5) EACH_256(make, n##6) EACH_256(make, n##7) EACH_256(make, n##8) EACH_256(make, n##9) \
    EACH_256(make, n##a) EACH_256(make, n##b) EACH_256(make, n##c) EACH_256(make, n##d) EACH_256(make, n##e) \
    EACH_256(make, n##f)

// Functions that differ by their number, each with branches that depend on what is computed.
#define FUNCTION(n)                                                  \
    __attribute__((noinline)) static unsigned function_##n(unsigned x) { \
        if ((x & 1u << n % 8) != 0) x += n * 37u;                    \
        if (x % (n % 13 + 3) == 1) x *= 3;                           \
        if (x > n * 997831u) x ^= n;                                 \
        return x << 3 ^ x >> 5;                                      \
    }
EACH(FUNCTION, 0x)

#define ADDRESS(n) function_##n,
static unsigned (*const functions[])(unsigned) = {EACH(ADDRESS, 0x)};
enum { function_count = sizeof functions / sizeof functions[0] };

static _Thread_local unsigned draw = 1, kept;

static void call_others(int calls) {
    unsigned x = kept;
    for (int i = 0; i < calls; i++) {
        draw = draw * 1664525 + 1013904223;
        x = functions[(draw >> 16) % function_count](x);
    }
    kept = x;
}

static void call_on_all(int threads, int calls) {
#pragma omp parallel num_threads(threads)
    call_others(calls);
}

static double region_s(int threads) {
    const double begin = now_s();
#pragma omp parallel num_threads(threads)
    empty(0, 0);
    return now_s() - begin;
}

int main(int argc, char** argv) {
    struct Option options[] = {
        {"threads", 2, "threads of the region"},
        {"calls", 3000, "calls of other functions, by each thread, before each region"},
    };
    const struct Budget budget = read_options(argc, argv, options, 2);
    const int threads = (int)options[0].value, calls = (int)options[1].value;

    enum { most_regions = 20000, looks = 1000 };
    static double us[most_regions];
    const double first_look = now_s();
    for (int i = 1; i < looks; i++) now_s();
    const double look = (now_s() - first_look) / looks;

    const double begin = now_s();
    while (now_s() - begin < budget.warm_up_s) {
        call_on_all(threads, calls);
        region_s(threads);
    }
    const double deadline = now_s() + budget.measure_s;
    int count = 0;
    while (count < most_regions && (count == 0 || now_s() < deadline)) {
        call_on_all(threads, calls);
        us[count++] = 1e6 * (region_s(threads) - look);
    }
    const struct Timing timing = timing_of(us, count, 1);

    json_open("cold");
    json_number("threads", threads);
    json_number("calls", calls);
    json_timing(&timing);
    json_close();
    return 0;
}
