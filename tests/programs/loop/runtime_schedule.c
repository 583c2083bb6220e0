// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// schedule(runtime): from OMP_SCHEDULE, from omp_set_schedule, and per task.
// test: env OMP_SCHEDULE=static
// test: env OMP_SCHEDULE=static,4
// test: env OMP_SCHEDULE=dynamic
// test: env OMP_SCHEDULE=DYNAMIC,7
// test: env OMP_SCHEDULE=guided,2
// test: env OMP_SCHEDULE=auto
// test: env OMP_SCHEDULE=monotonic:dynamic,3
// test: env OMP_SCHEDULE=nonmonotonic:guided,5
// test: reps 5
#include "check.h"

enum { plain = 0x7fffffff };

static void each_once(int width, int static_chunk) {
    int hits[300] = {0}, owner[300];
#pragma omp parallel num_threads(width)
    {
#pragma omp for schedule(runtime)
        for (int i = 0; i < 300; ++i) {
#pragma omp atomic
            hits[i]++;
            owner[i] = omp_get_thread_num();
        }
    }
    for (int i = 0; i < 300; ++i) {
        EXPECT_EQ(hits[i], 1);
        if (static_chunk) EXPECT_EQ(owner[i], i / static_chunk % width);
    }
}

static void environment_loop(int width) { each_once(width, strcmp(getenv("OMP_SCHEDULE"), "static,4") == 0 ? 4 : 0); }

// What the setting says counts, though a compiler passes nonmonotonic where the program names no modifier.
static void environment_order(int width) {
    if (strncmp(getenv("OMP_SCHEDULE"), "monotonic:", 10) != 0) return;
    int decreases = 0;
#pragma omp parallel num_threads(width) reduction(+ : decreases)
    {
        int last = -1;
#pragma omp for schedule(runtime)
        for (int i = 0; i < 30000; ++i) {
            decreases += i < last;
            last = i;
        }
    }
    EXPECT_EQ(decreases, 0);
}

static void environment_value(int width) {
    (void)width;
    omp_sched_t kind;
    int chunk;
    omp_get_schedule(&kind, &chunk);
    const char* setting = getenv("OMP_SCHEDULE");
    const char* colon = strchr(setting, ':');
    const char* name = colon ? colon + 1 : setting;
    int want = *name == 's'                   ? omp_sched_static
               : *name == 'd' || *name == 'D' ? omp_sched_dynamic
               : *name == 'g'                 ? omp_sched_guided
                                              : omp_sched_auto;
    EXPECT_EQ(kind & plain, want);
    const char* comma = strchr(setting, ',');
    if (comma) EXPECT_EQ(chunk, atoi(comma + 1));
}

static void by_routine(int width) {
    static const omp_sched_t kinds[] = {omp_sched_static, omp_sched_dynamic, omp_sched_guided, omp_sched_auto};
    omp_sched_t before;
    int before_chunk;
    omp_get_schedule(&before, &before_chunk);
    for (int k = 0; k < 4; ++k)
        for (int chunk = 0; chunk <= 5; chunk += 5) {
            omp_set_schedule(kinds[k], chunk);
            omp_sched_t kind;
            int size;
            omp_get_schedule(&kind, &size);
            EXPECT_EQ(kind & plain, kinds[k]);
            if (chunk && kinds[k] != omp_sched_auto) EXPECT_EQ(size, chunk);
            each_once(width, kinds[k] == omp_sched_static ? chunk : 0);
        }
    omp_set_schedule((omp_sched_t)(omp_sched_dynamic | 0x80000000u), 3);
    each_once(width, 0);
    omp_set_schedule(before, before_chunk);
}

// run-sched-var belongs to a task: a value that a thread sets inside a region ends with the region, and inner
// regions inherit it.
static void per_task(int width) {
    omp_set_schedule(omp_sched_dynamic, 9);
#pragma omp parallel num_threads(width)
    {
        omp_sched_t kind;
        int chunk, me = omp_get_thread_num();
        omp_get_schedule(&kind, &chunk);
        EXPECT_EQ(kind & plain, omp_sched_dynamic);
        EXPECT_EQ(chunk, 9);
        omp_set_schedule(omp_sched_guided, 10 + me);
#pragma omp barrier
        omp_get_schedule(&kind, &chunk);
        EXPECT_EQ(kind & plain, omp_sched_guided);
        EXPECT_EQ(chunk, 10 + me);
#pragma omp parallel num_threads(2)
        {
            omp_sched_t inner;
            int inner_chunk;
            omp_get_schedule(&inner, &inner_chunk);
            EXPECT_EQ(inner & plain, omp_sched_guided);
            EXPECT_EQ(inner_chunk, 10 + me);
        }
    }
    omp_sched_t kind;
    int chunk;
    omp_get_schedule(&kind, &chunk);
    EXPECT_EQ(kind & plain, omp_sched_dynamic);
    EXPECT_EQ(chunk, 9);
}

int main(void) {
    check("environment-value", environment_value);
    check("environment-loop", environment_loop);
    check("environment-order", environment_order);
    check("by-routine", by_routine);
    check("per-task", per_task);
    return check_done();
}
