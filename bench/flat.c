// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One empty parallel region (the BOLT paper's figure 6a): the cost of fork and join alone. With turns=1 two regions take turns
// that differ in function and arguments, as a program's do: a repeated region finds much in the caches that these do not.
#include "measure.h"

#include <omp.h>
#include <stdlib.h>

static void pass(void* context) {
    const int threads = *(const int*)context;
#pragma omp parallel num_threads(threads)
    empty(0, 0);
}

static void pass_in_turn(void* context) {
    static unsigned turn;
    const int threads = *(const int*)context;
    long first = turn++, second = first + 1, third = second + 1;
    if (first % 2 == 0) {
#pragma omp parallel num_threads(threads)
        empty((int)first, (int)second);
    } else {
#pragma omp parallel num_threads(threads)
        empty((int)third, (int)(first + second));
    }
}

static void check(int threads) {
    int seen = 0;
#pragma omp parallel num_threads(threads) reduction(+ : seen)
    seen++;
    if (seen != threads) wrong("a region of %d threads ran on %d", threads, seen);
}

enum { most_threads = 1024, most_regions = 2000 };

static struct {
    _Alignas(128) double at;
} begun[most_threads];

static int ascending(const void* a, const void* b) {
    const double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

// The two parts of a region's time, in seconds: from its start until the last thread begins, and from there to its end.
// Each is the first quartile over regions that take at most `limit` together.
static void parts(int threads, double limit, double* fork, double* join) {
    static double forks[most_regions], joins[most_regions];
    enum { looks = 1000 };
    const double first_look = now_s();
    for (int i = 1; i < looks; i++) now_s();
    const double look = (now_s() - first_look) / looks;  // each part contains one look at the clock
    const double deadline = now_s() + limit;
    int count = 0;
    while (count < most_regions && (count == 0 || now_s() < deadline)) {
        const double begin = now_s();
#pragma omp parallel num_threads(threads)
        begun[omp_get_thread_num() % most_threads].at = now_s();
        const double end = now_s();
        double last = begin;
        for (int i = 0; i < threads && i < most_threads; i++) last = begun[i].at > last ? begun[i].at : last;
        forks[count] = last - begin - look;
        joins[count++] = end - last - look;
    }
    qsort(forks, (size_t)count, sizeof *forks, ascending);
    qsort(joins, (size_t)count, sizeof *joins, ascending);
    *fork = forks[count / 4];
    *join = joins[count / 4];
}

int main(int argc, char** argv) {
    struct Option options[] = {{"threads", 2, "threads of the region"}, {"turns", 0, "1: two regions in turn"}};
    const struct Budget budget = read_options(argc, argv, options, 2);
    int threads = (int)options[0].value;
    const bool turns = options[1].value != 0;

    check(threads);
    const struct Timing timing = measure(turns ? pass_in_turn : pass, &threads, &budget);

    json_open("flat");
    json_number("threads", threads);
    json_number("turns", turns);
    json_timing(&timing);
    double fork, join;
    parts(threads, budget.measure_s / 4, &fork, &join);
    json_number("us_fork", 1e6 * fork);
    json_number("us_join", 1e6 * join);
    json_close();
    return 0;
}
