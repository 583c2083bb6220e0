// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The clauses of task one by one and together: if, final with included descendants, mergeable and its data
// environment, priority without starvation, affinity, firstprivate of every size, shared, default, and the
// routines' answers inside; threadprivate variables of the thread on which a tied task stays.
//
// libomp 19 fails an assertion at an undeferred task that is untied:
// test: peer-skip clang every-clause
// test: env
// test: env OMP_MAX_TASK_PRIORITY=10
#include "check.h"

#define IN_SINGLE(width) _Pragma("omp parallel num_threads(width)") _Pragma("omp single")

static void add(int* counter, int value) {
#pragma omp atomic
    *counter += value;
}

static void include_all(int depth, int me, int* wrong, int* count) {
#pragma omp task firstprivate(depth, me)
    {
        // An included task runs at once, on the thread that generates it, and is final in turn.
        if (!omp_in_final() || omp_get_thread_num() != me) add(wrong, 1);
        add(count, 1);
        if (depth > 0) {
            int before, after;
#pragma omp atomic read
            before = *count;
            include_all(depth - 1, me, wrong, count);
#pragma omp atomic read
            after = *count;
            if (after <= before) add(wrong, 1);
        }
    }
}

static void final_and_included(int width) {
    int wrong = 0, count = 0;
    IN_SINGLE(width)
    for (int i = 0; i < 5; ++i) {
#pragma omp task final(i >= 0) firstprivate(i) shared(wrong, count)
        {
            include_all(6, omp_get_thread_num(), &wrong, &count);
#pragma omp task untied shared(wrong)
            add(&wrong, !omp_in_final());
#pragma omp task if (0) shared(wrong)
            add(&wrong, !omp_in_final());
        }
#pragma omp task final(i < 0) firstprivate(i) shared(wrong)
        add(&wrong, omp_in_final());
    }
    EXPECT_EQ(wrong, 0);
    EXPECT_EQ(count, 35);
}

static void undeferred(int width) {
#pragma omp parallel num_threads(width)
    {
        int me = omp_get_thread_num(), done = 0, below = 0;
        for (int i = 0; i < 6; ++i) {
#pragma omp task if (0) firstprivate(me) shared(done, below)
            {
                EXPECT_EQ(omp_get_thread_num(), me);
                EXPECT_EQ(omp_in_final(), 0);
                // The children of an undeferred task may be deferred; the taskwait in their parent waits for
                // them.
                for (int k = 0; k < 3; ++k) {
#pragma omp task shared(below)
                    add(&below, 1);
                }
#pragma omp taskwait
                EXPECT_EQ(below, 3 * (done + 1));
                done++;
            }
            EXPECT_EQ(done, i + 1);
        }
    }
}

// Merged or not, a task with a variable of its own sees the variable's value at the task's generation.
static void mergeable(int width) {
    int with_shared = 0, with_own = 0;
    IN_SINGLE(width)
    for (int i = 0; i < 10; ++i) {
        int value = 1;
#pragma omp task mergeable final(1) shared(value)
        value++;
#pragma omp task mergeable if (0) firstprivate(i) shared(with_own)
        add(&with_own, i);
#pragma omp taskwait
        with_shared += value;
    }
    EXPECT_EQ(with_shared, 20);
    EXPECT_EQ(with_own, 45);
}

static void priorities(int width) {
    int counts[4] = {0}, highest = omp_get_max_task_priority();
    EXPECT(highest >= 0);
#pragma omp parallel num_threads(width)
    {
#pragma omp single nowait
        for (int i = 0; i < 400; ++i) {
#pragma omp task priority(i % 4 * 1000) firstprivate(i) shared(counts)
            add(&counts[i % 4], 1);
        }
        for (int i = 0; i < 4; ++i) {
#pragma omp task priority(highest) shared(counts)
            {
#pragma omp task priority(0) shared(counts)
                add(&counts[0], 1);
                add(&counts[3], 1);
            }
        }
    }
    EXPECT_EQ(counts[0], 100 + 4 * width);
    EXPECT_EQ(counts[1], 100);
    EXPECT_EQ(counts[2], 100);
    EXPECT_EQ(counts[3], 100 + 4 * width);
}

// Ever more tasks of high priority must not starve a task of low priority on which other tasks depend.
static void no_starvation(int width) {
    int low = 0, high = 0;
    IN_SINGLE(width) {
#pragma omp taskgroup
        {
#pragma omp task priority(0) depend(out : low) shared(low)
            low = 1;
            for (int i = 0; i < 100; ++i) {
#pragma omp task priority(10) shared(high)
                {
                    add(&high, 1);
#pragma omp task priority(9) shared(high)
                    add(&high, 1);
                }
            }
#pragma omp task priority(5) depend(in : low) shared(low, high)
            add(&high, low);
        }
    }
    EXPECT_EQ(high, 201);
}

static void affinity(int width) {
    int a[32] = {0}, b = 0;
    IN_SINGLE(width)
    for (int i = 0; i < 8; ++i) {
#pragma omp task affinity(a[4 * i : 4]) firstprivate(i) shared(a)
        for (int k = 4 * i; k < 4 * i + 4; ++k) a[k]++;
#pragma omp task affinity(iterator(int k = 0 : 4) : a[k]) affinity(b) shared(b)
        add(&b, 1);
    }
    for (int i = 0; i < 32; ++i) EXPECT_EQ(a[i], 1);
    EXPECT_EQ(b, 8);
}

static void every_clause(int width) {
    int x = 0, sum = 0, read = -1;
    IN_SINGLE(width) {
#pragma omp taskgroup task_reduction(+ : sum)
        {
            for (int i = 0; i < 10; ++i) {
#pragma omp task if (i != 3) final(i == 5) untied mergeable priority(i) affinity(x) depend(inout : x) \
    in_reduction(+ : sum) default(none) firstprivate(i) shared(x)
                {
                    x++;
                    sum += i;
                }
            }
        }
#pragma omp task private(read) shared(x)
        {
            read = x;
            EXPECT_EQ(read, 10);
        }
    }
    EXPECT_EQ(x, 10);
    EXPECT_EQ(sum, 45);
    EXPECT_EQ(read, -1);
}

#define SIZED(name, type, bytes)                                                                   \
    static int name(void) {                                                                        \
        struct {                                                                                   \
            type values[bytes];                                                                    \
        } data;                                                                                    \
        int wrong = 0;                                                                             \
        for (int i = 0; i < bytes; ++i) data.values[i] = (type)(i * 3 + 1);                        \
        for (int t = 0; t < 3; ++t) {                                                              \
            _Pragma("omp task firstprivate(data) shared(wrong)") for (int i = 0; i < bytes; ++i) { \
                add(&wrong, data.values[i] != (type)(i * 3 + 1));                                  \
                data.values[i] = 0;                                                                \
            }                                                                                      \
        }                                                                                          \
        _Pragma("omp taskwait") return wrong;                                                      \
    }

SIZED(one_char, char, 1)
SIZED(seven_chars, char, 7)
SIZED(some_shorts, short, 33)
SIZED(some_longs, long, 100)
SIZED(some_doubles, double, 1000)

static void sizes(int width) {
#pragma omp parallel num_threads(width)
    {
        EXPECT_EQ(one_char(), 0);
        EXPECT_EQ(seven_chars(), 0);
        EXPECT_EQ(some_shorts(), 0);
        EXPECT_EQ(some_longs(), 0);
        EXPECT_EQ(some_doubles(), 0);
    }
}

static int of_thread;
#pragma omp threadprivate(of_thread)

static void threadprivate(int width) {
    int wrong = 0;
#pragma omp parallel num_threads(width)
    {
        int outer = of_thread;
        of_thread = 100 + omp_get_thread_num();
#pragma omp barrier
        for (int i = 0; i < 8; ++i) {
#pragma omp task shared(wrong)
            {
                int* place = &of_thread;
                if (of_thread != 100 + omp_get_thread_num()) add(&wrong, 1);
#pragma omp task
                {}
#pragma omp taskwait
                if (place != &of_thread) add(&wrong, 1);
            }
        }
#pragma omp barrier
        of_thread = outer;
    }
    EXPECT_EQ(wrong, 0);
}

static void per_task_settings(int width) {
    int wrong = 0;
#pragma omp parallel num_threads(width)
    {
        omp_set_num_threads(3);
        for (int i = 0; i < 4; ++i) {
#pragma omp task firstprivate(i) shared(wrong)
            {
                omp_sched_t kind;
                int chunk;
                add(&wrong, omp_get_max_threads() != 3);
                omp_set_num_threads(4 + i);
                omp_set_schedule(omp_sched_dynamic, 10 + i);
#pragma omp task firstprivate(i) shared(wrong)
                add(&wrong, omp_get_max_threads() != 4 + i);
#pragma omp taskwait
                omp_get_schedule(&kind, &chunk);
                add(&wrong, omp_get_max_threads() != 4 + i || chunk != 10 + i);
            }
        }
#pragma omp taskwait
        add(&wrong, omp_get_max_threads() != 3);
    }
    EXPECT_EQ(wrong, 0);
}

int main(void) {
    check("final-and-included", final_and_included);
    check("undeferred", undeferred);
    check("mergeable", mergeable);
    check("priorities", priorities);
    check("no-starvation", no_starvation);
    check("affinity", affinity);
    check("every-clause", every_clause);
    check("sizes", sizes);
    check("threadprivate", threadprivate);
    check("per-task-settings", per_task_settings);
    return check_done();
}
