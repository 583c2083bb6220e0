// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// for: every schedule kind gives each iteration to exactly one thread, a static schedule to the specified thread
// (OpenMP 5.2 section 11.5.3), and a monotonic schedule in increasing order.
#include "check.h"

enum { limit = 1000 };

typedef struct {
    int n, times[limit], owner[limit], order_kept;
} Trace;

static void trace_start(Trace* trace, int n) {
    memset(trace, 0, sizeof *trace);
    trace->n = n;
    trace->order_kept = 1;
}

static void visit(Trace* trace, int i, int* last) {
    __atomic_fetch_add(&trace->times[i], 1, __ATOMIC_RELAXED);
    trace->owner[i] = omp_get_thread_num();
    if (i <= *last) __atomic_store_n(&trace->order_kept, 0, __ATOMIC_RELAXED);
    *last = i;
}

static void each_once(const Trace* trace) {
    for (int i = 0; i < limit; ++i) EXPECT_EQ(trace->times[i], i < trace->n);
}

#define LOOP(trace, width, ...)                             \
    _Pragma("omp parallel num_threads(width)") {            \
        int last = -1, n = (trace)->n;                      \
        __VA_ARGS__                                         \
        for (int i = 0; i < n; ++i) visit(trace, i, &last); \
    }

static const int sizes[] = {0, 1, 2, 7, 8, 9, 100, 999};
#define EACH_SIZE(n) for (unsigned size_ = 0, n = 0; size_ < sizeof sizes / sizeof *sizes && (n = sizes[size_], 1); ++size_)

static void static_whole(int width) {
    Trace trace;
    EACH_SIZE(n) {
        trace_start(&trace, n);
        LOOP(&trace, width, _Pragma("omp for schedule(static)"))
        each_once(&trace);
        EXPECT(trace.order_kept);
        // Each thread has one block, in thread order. The sizes differ by at most one where the runtime
        // balances them, and no block is larger than the ceiling.
        int count[64] = {0};
        for (unsigned i = 0; i < n; ++i) {
            count[trace.owner[i]]++;
            EXPECT(i == 0 || trace.owner[i] >= trace.owner[i - 1]);
        }
        for (int t = 0; t < width; ++t) EXPECT(count[t] <= (int)(n + width - 1) / width);
    }
}

static void static_chunk(int width) {
    Trace trace;
    for (int chunk = 1; chunk <= 100; chunk += 33) EACH_SIZE(n) {
            trace_start(&trace, n);
            LOOP(&trace, width, _Pragma("omp for schedule(static, chunk)"))
            each_once(&trace);
            EXPECT(trace.order_kept);
            for (unsigned i = 0; i < n; ++i) EXPECT_EQ(trace.owner[i], i / chunk % width);
        }
}

static void static_repeats(int width) {
    Trace first, second;
    trace_start(&first, 333);
    trace_start(&second, 333);
#pragma omp parallel num_threads(width)
    {
        int last = -1;
#pragma omp for schedule(static) nowait
        for (int i = 0; i < 333; ++i) visit(&first, i, &last);
        last = -1;
#pragma omp for schedule(static) nowait
        for (int i = 0; i < 333; ++i) visit(&second, i, &last);
    }
    each_once(&first);
    each_once(&second);
    EXPECT(memcmp(first.owner, second.owner, sizeof first.owner) == 0);
}

static void dynamic(int width) {
    Trace trace;
    EACH_SIZE(n) {
        trace_start(&trace, n);
        LOOP(&trace, width, _Pragma("omp for schedule(dynamic)"))
        each_once(&trace);
        for (int chunk = 1; chunk < 60; chunk += 19) {
            trace_start(&trace, n);
            LOOP(&trace, width, _Pragma("omp for schedule(dynamic, chunk)"))
            each_once(&trace);
            for (unsigned i = 1; i < n; ++i) EXPECT(i % chunk == 0 || trace.owner[i] == trace.owner[i - 1]);
        }
    }
}

static void guided(int width) {
    Trace trace;
    EACH_SIZE(n) {
        trace_start(&trace, n);
        LOOP(&trace, width, _Pragma("omp for schedule(guided)"))
        each_once(&trace);
        for (int chunk = 1; chunk < 60; chunk += 19) {
            trace_start(&trace, n);
            LOOP(&trace, width, _Pragma("omp for schedule(guided, chunk)"))
            each_once(&trace);
        }
    }
}

static void automatic(int width) {
    Trace trace;
    EACH_SIZE(n) {
        trace_start(&trace, n);
        LOOP(&trace, width, _Pragma("omp for schedule(auto)"))
        each_once(&trace);
    }
}

static void monotonic(int width) {
    Trace trace;
    EACH_SIZE(n) {
        trace_start(&trace, n);
        LOOP(&trace, width, _Pragma("omp for schedule(monotonic : dynamic)"))
        each_once(&trace);
        EXPECT(trace.order_kept);
        trace_start(&trace, n);
        LOOP(&trace, width, _Pragma("omp for schedule(monotonic : dynamic, 7)"))
        each_once(&trace);
        EXPECT(trace.order_kept);
        trace_start(&trace, n);
        LOOP(&trace, width, _Pragma("omp for schedule(monotonic : guided, 3)"))
        each_once(&trace);
        EXPECT(trace.order_kept);
        trace_start(&trace, n);
        LOOP(&trace, width, _Pragma("omp for schedule(monotonic : static, 5)"))
        each_once(&trace);
        EXPECT(trace.order_kept);
    }
}

static void nonmonotonic(int width) {
    Trace trace;
    EACH_SIZE(n) {
        trace_start(&trace, n);
        LOOP(&trace, width, _Pragma("omp for schedule(nonmonotonic : dynamic, 4)"))
        each_once(&trace);
        trace_start(&trace, n);
        LOOP(&trace, width, _Pragma("omp for schedule(nonmonotonic : guided, 2)"))
        each_once(&trace);
    }
}

// One slow thread must not keep the others from the rest of a dynamic loop; the barrier makes their results
// visible.
static void implied_barrier(int width) {
    int done[limit];
    memset(done, 0, sizeof done);
#pragma omp parallel num_threads(width)
    {
#pragma omp for schedule(dynamic, 10)
        for (int i = 0; i < limit; ++i) done[i] = 1;
        for (int i = 0; i < limit; ++i) EXPECT_EQ(done[i], 1);
    }
}

// Loops outside of any parallel region: the initial thread executes them as a team of one.
static void orphaned(int width) {
    int hits[50] = {0};
    (void)width;
    if (omp_get_level() != 0) return;
#pragma omp for schedule(dynamic, 3)
    for (int i = 0; i < 50; ++i) hits[i]++;
#pragma omp for schedule(guided)
    for (int i = 0; i < 50; ++i) hits[i]++;
#pragma omp for schedule(static, 2)
    for (int i = 0; i < 50; ++i) hits[i]++;
    for (int i = 0; i < 50; ++i) EXPECT_EQ(hits[i], 3);
}

int main(void) {
    check_share("static-whole", static_whole, 4);
    check_share("static-chunk", static_chunk, 4);
    check("static-repeats", static_repeats);
    check_share("dynamic", dynamic, 4);
    check_share("guided", guided, 4);
    check_share("auto", automatic, 4);
    check_share("monotonic", monotonic, 4);
    check_share("nonmonotonic", nonmonotonic, 4);
    check("implied-barrier", implied_barrier);
    check("orphaned", orphaned);
    return check_done();
}
