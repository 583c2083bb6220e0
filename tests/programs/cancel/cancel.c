// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// cancel and cancellation point for parallel, for, sections and taskgroup. They do nothing when cancel-var
// is false.
//
// libomp 19 aborts in a cancelled dynamic loop from which a thread has stolen, and waits forever behind a thread that is gone:
// test: peer-skip clang loop-dynamic loop-after-a-cancelled-one siblings-that-go-on
// test: env OMP_CANCELLATION=true
// test: env OMP_CANCELLATION=false
// test: env
// With nine carriers threads arrive in groups, and with twenty threads by shares.
// test: env OMP_CANCELLATION=true GOSSAMER_CARRIERS=9
// test: teams 1 2 3 8 20 4x8 2x3x4
// libomp 19 hangs now and then with twenty threads.
// test: peer-teams clang 1 2 3 8 4x8 2x3x4
#include "check.h"

static int enabled(void) {
    const char* setting = getenv("OMP_CANCELLATION");
    return setting && strcmp(setting, "true") == 0;
}

static void reported(int width) {
    (void)width;
    EXPECT_EQ(omp_get_cancellation(), enabled());
}

static void parallel(int width) {
    int after = 0, reached = 0;
#pragma omp parallel num_threads(width)
    {
#pragma omp atomic
        reached++;
        if (omp_get_thread_num() == width - 1) {
#pragma omp cancel parallel
        }
        for (;;) {
#pragma omp cancellation point parallel
            if (!enabled()) break;
        }
#pragma omp atomic
        after++;
    }
    EXPECT_EQ(reached, width);
    EXPECT_EQ(after, enabled() ? 0 : width);
}

static void if_clause(int width) {
    int after = 0;
#pragma omp parallel num_threads(width)
    {
#pragma omp cancel parallel if (0)
#pragma omp cancellation point parallel
#pragma omp atomic
        after++;
    }
    EXPECT_EQ(after, width);
}

static void threads_at_a_barrier(int width) {
    int after = 0;
#pragma omp parallel num_threads(width)
    {
        if (omp_get_thread_num() == 0) {
#pragma omp cancel parallel
        }
#pragma omp barrier
#pragma omp atomic
        after++;
    }
    EXPECT_EQ(after, enabled() ? 0 : width);
}

#define CANCEL_LOOP(name, ...)                                                              \
    static void name(int width) {                                                           \
        int done = 0, after = 0;                                                            \
        _Pragma("omp parallel num_threads(width)") {                                        \
            _Pragma(__VA_ARGS__) for (int i = 0; i < 1000; ++i) {                           \
                __atomic_fetch_add(&done, 1, __ATOMIC_RELAXED);                             \
                _Pragma("omp cancel for if (i >= 0)") _Pragma("omp cancellation point for") \
            }                                                                               \
            __atomic_fetch_add(&after, 1, __ATOMIC_RELAXED);                                \
        }                                                                                   \
        EXPECT(enabled() ? done >= 1 && done <= width : done == 1000);                      \
        EXPECT_EQ(after, width);                                                            \
    }

CANCEL_LOOP(loop_static, "omp for schedule(static)")
CANCEL_LOOP(loop_dynamic, "omp for schedule(dynamic)")
CANCEL_LOOP(loop_guided, "omp for schedule(guided)")

static void loop_after_a_cancelled_one(int width) {
    int first = 0, second = 0;
#pragma omp parallel num_threads(width)
    {
#pragma omp for schedule(dynamic)
        for (int i = 0; i < 200; ++i) {
#pragma omp atomic
            first++;
#pragma omp cancel for
        }
#pragma omp for schedule(dynamic)
        for (int i = 0; i < 200; ++i) {
#pragma omp atomic
            second++;
        }
    }
    EXPECT(first >= 1);
    EXPECT_EQ(second, 200);
}

static void sections(int width) {
    int done = 0, after = 0;
#pragma omp parallel num_threads(width)
    {
#pragma omp sections
        {
#pragma omp section
            {
#pragma omp atomic
                done++;
#pragma omp cancel sections
                if (enabled()) EXPECT(0 && "ran on after cancel");
            }
#pragma omp section
            {
#pragma omp cancellation point sections
#pragma omp atomic
                done++;
            }
        }
#pragma omp atomic
        after++;
    }
    EXPECT(done >= 1 && done <= 2);
    EXPECT_EQ(after, width);
}

static void taskgroup(int width) {
    int before = 0, after = 0, outside = 0;
#pragma omp parallel num_threads(width)
    {
#pragma omp single
        {
#pragma omp taskgroup
            {
                for (int i = 0; i < 50; ++i) {
#pragma omp task shared(before, after)
                    {
#pragma omp atomic
                        before++;
#pragma omp cancel taskgroup
#pragma omp cancellation point taskgroup
#pragma omp atomic
                        after++;
                    }
                }
            }
#pragma omp task shared(outside)
            outside = 1;
        }
    }
    EXPECT(before >= 1 && before <= 50);
    EXPECT_EQ(after, enabled() ? 0 : 50);
    EXPECT_EQ(outside, 1);
}

static void region_after_a_cancelled_one(int width) {
    for (int i = 0; i < 5; ++i) {
        int count = 0;
#pragma omp parallel num_threads(width)
        {
#pragma omp cancel parallel
        }
#pragma omp parallel num_threads(width) reduction(+ : count)
        {
#pragma omp barrier
            count = 1;
        }
        EXPECT_EQ(count, width);
    }
}

// Threads that meet no cancellation point go on through many constructs without a barrier, while others are gone.
static void siblings_that_go_on(int width) {
    enum { loops = 30, iterations = 20 };
    const int gone = enabled() ? (width + 1) / 2 : 0;
    int met = 0, ran = 0;
#pragma omp parallel num_threads(width)
    {
        if (omp_get_thread_num() % 2 == 0) {
#pragma omp cancel parallel
        }
        for (int loop = 0; loop < loops; loop++) {
#pragma omp for schedule(dynamic) nowait
            for (int i = 0; i < iterations; i++) {
#pragma omp atomic
                ran++;
            }
#pragma omp atomic
            met++;
        }
    }
    EXPECT_EQ(met, loops * (width - gone));
    EXPECT_EQ(ran, width > gone ? loops * iterations : 0);
}

int main(void) {
    check("reported", reported);
    check("parallel", parallel);
    check("if-clause", if_clause);
    check("threads-at-a-barrier", threads_at_a_barrier);
    check("loop-static", loop_static);
    check("loop-dynamic", loop_dynamic);
    check("loop-guided", loop_guided);
    check("loop-after-a-cancelled-one", loop_after_a_cancelled_one);
    check("sections", sections);
    check("taskgroup", taskgroup);
    check("siblings-that-go-on", siblings_that_go_on);
    check("region-after-a-cancelled-one", region_after_a_cancelled_one);
    return check_done();
}
