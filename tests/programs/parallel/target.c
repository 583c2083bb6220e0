// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Target regions on the host. clang's compiled-in fallback runs them without a call of the runtime, so only gcc's
// programs test the runtime.
// test: compilers gcc
// test: teams 1 2 3 8
#include "check.h"

static omp_sched_t first_kind;
static int first_chunk, first_threads;

// A target region starts with the program's initial settings, and does not change its caller's.
static void settings(int width) {
    int wrong = 0;
    omp_sched_t kind = omp_sched_static;
    int chunk = 0;
    omp_set_schedule(omp_sched_dynamic, 3);
    omp_set_num_threads(width + 5);
#pragma omp target map(tofrom : wrong)
    {
        omp_sched_t inside;
        int inside_chunk;
        omp_get_schedule(&inside, &inside_chunk);
        wrong += inside != first_kind || inside_chunk != first_chunk;
        wrong += omp_get_max_threads() != first_threads;
        omp_set_schedule(omp_sched_guided, 9);
        omp_set_num_threads(width + 7);
    }
    EXPECT_EQ(wrong, 0);
    omp_get_schedule(&kind, &chunk);
    EXPECT_EQ(kind, omp_sched_dynamic);
    EXPECT_EQ(chunk, 3);
    EXPECT_EQ(omp_get_max_threads(), width + 5);
}

// A target region has a league of its own.
static void own_league(int width) {
    int wrong = 0;
#pragma omp teams num_teams(2) reduction(+ : wrong)
#pragma omp parallel num_threads(width) reduction(+ : wrong)
    {
        int inside = 0;
#pragma omp target map(tofrom : inside)
        inside = omp_get_num_teams() * 10 + omp_get_team_num();
        wrong += inside != 10;
    }
    EXPECT_EQ(wrong, 0);
}

static void thread_limit(int width) {
    int limit = 0;
#pragma omp target thread_limit(width) map(tofrom : limit)
    limit = omp_get_thread_limit();
    EXPECT(limit >= 1 && limit <= width);
    EXPECT(omp_get_thread_limit() > width);
}

static void in_parallel(int width) {
    int threads = 0;
#pragma omp parallel num_threads(width)
    {
        int me = omp_get_thread_num(), copy = me, inner = 0;
#pragma omp target firstprivate(copy) map(tofrom : inner)
        {
            copy += 100;
#pragma omp parallel num_threads(2) reduction(+ : inner)
            inner += 1;
        }
        EXPECT_EQ(copy, me);
        EXPECT_EQ(inner, 2);
        EXPECT_EQ(omp_get_thread_num(), me);
        EXPECT_EQ(omp_get_num_threads(), width);
#pragma omp atomic
        threads++;
    }
    EXPECT_EQ(threads, width);
}

// A target region is at level 0, whatever regions are around it.
static void own_levels(int width) {
    int wrong = 0;
#pragma omp parallel num_threads(width) reduction(+ : wrong)
#pragma omp parallel num_threads(2) reduction(+ : wrong)
    {
        int inside = 0;
#pragma omp target map(tofrom : inside)
        {
            inside += omp_in_parallel() != 0;
            inside += omp_get_level() != 0 || omp_get_active_level() != 0;
            inside += omp_get_ancestor_thread_num(0) != 0 || omp_get_ancestor_thread_num(1) != -1;
#pragma omp parallel num_threads(3) reduction(+ : inside)
            {
                inside += omp_get_level() != 1 || omp_get_active_level() != 1;
                inside += omp_get_num_threads() != 3;
                inside += omp_get_ancestor_thread_num(1) != omp_get_thread_num();
            }
        }
        wrong += inside + (omp_get_level() != 2);
    }
    EXPECT_EQ(wrong, 0);
}

// nowait: the encountering task goes on, and fulfils what the target task depends on.
static void deferred(int width) {
    int before = 0, after = 0;
#pragma omp parallel num_threads(width)
#pragma omp single
    {
        int copied = 40;
        omp_event_handle_t event;
#pragma omp task depend(out : before) detach(event) shared(before)
        before = 1;
#pragma omp target nowait depend(in : before) depend(out : after) map(tofrom : before, after) firstprivate(copied)
        {
            copied += before;
            after = copied;
        }
#pragma omp target nowait depend(inout : after) map(tofrom : after) thread_limit(1)
        after += omp_get_thread_limit();
        copied = 0;
        omp_fulfill_event(event);
#pragma omp taskwait
    }
    EXPECT_EQ(after, 42);
}

static void deferred_data(int width) {
    int data = 0, seen = 0;
#pragma omp parallel num_threads(width)
#pragma omp single
    {
        omp_event_handle_t event;
#pragma omp task depend(out : data) detach(event) shared(data)
        data = 1;
#pragma omp target enter data nowait depend(inout : data) map(to : data)
#pragma omp target update nowait depend(inout : data) to(data)
#pragma omp target exit data nowait depend(inout : data) map(from : data)
#pragma omp task depend(in : data) shared(data, seen)
        seen = data;
        omp_fulfill_event(event);
#pragma omp taskwait
    }
    EXPECT_EQ(seen, 1);
}

int main(void) {
    omp_get_schedule(&first_kind, &first_chunk);
    first_threads = omp_get_max_threads();
    check("settings", settings);
    check("own-league", own_league);
    check("thread-limit", thread_limit);
    check("own-levels", own_levels);
    check("in-parallel", in_parallel);
    check("deferred", deferred);
    check("deferred-data", deferred_data);
    return check_done();
}
