// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// As many tasks, or iterations, as a team has threads meet in ways that OpenMP knows nothing of: each thread comes to execute
// one, wherever it waits, and whatever the others are held up by.
//
// CHECK_SEED   what is drawn, default 1
// test: reps 3
// libomp 19, told to wait passively, leaves a thread asleep while a task lies that another waits for:
// test: peer-none clang
#include "meeting.h"

typedef struct {
    Meeting meeting;
    unsigned kind, seed;
    int width, passed;
} Work;

static void part(Work* work, int number) {
    unsigned own = work->seed + 31u * (unsigned)number;
    draw(&own, 1);
    be_held_up(&own);
    meet(&work->meeting, work->kind, work->width);
    be_held_up(&own);
    __atomic_add_fetch(&work->passed, 1, __ATOMIC_RELAXED);
}

static void tasks_of_one(Work* work) {
#pragma omp parallel num_threads(work->width)
#pragma omp single
    for (int i = 0; i < work->width; ++i) {
#pragma omp task firstprivate(i)
        part(work, i);
    }
}

static void a_task_of_each(Work* work) {
#pragma omp parallel num_threads(work->width)
    {
        const int number = omp_get_thread_num();
#pragma omp task firstprivate(number)
        part(work, number);
    }
}

static void a_taskloop(Work* work) {
#pragma omp parallel num_threads(work->width)
#pragma omp single
#pragma omp taskloop num_tasks(work->width) nogroup
    for (int i = 0; i < work->width; ++i) part(work, i);
}

static void tasks_before_another(Work* work) {
#pragma omp parallel num_threads(work->width)
#pragma omp single
    {
        int variable = 0, seen = 0;
        for (int i = 0; i < work->width; ++i) {
#pragma omp task firstprivate(i) depend(in : variable)
            part(work, i);
        }
#pragma omp task depend(out : variable) shared(seen)
        seen = work->passed;
#pragma omp taskwait
        EXPECT_EQ(seen, work->width);
    }
}

static void tasks_and_their_generator(Work* work) {
#pragma omp parallel num_threads(work->width)
#pragma omp single
#pragma omp taskgroup
    {
        for (int i = 1; i < work->width; ++i) {
#pragma omp task firstprivate(i)
            part(work, i);
        }
        meet(&work->meeting, work->kind, work->width);
        __atomic_add_fetch(&work->passed, 1, __ATOMIC_RELAXED);
    }
}

static void tasks_of_an_inner_team(Work* work) {
#pragma omp parallel num_threads(2)
    {
#pragma omp barrier
#pragma omp single
        tasks_of_one(work);
    }
}

static void dynamic_iterations(Work* work) {
#pragma omp parallel for num_threads(work->width) schedule(dynamic, 1)
    for (int i = 0; i < work->width; ++i) part(work, i);
}

static void static_iterations(Work* work) {
#pragma omp parallel for num_threads(work->width) schedule(static, 1)
    for (int i = 0; i < work->width; ++i) part(work, i);
}

static void an_inner_team_beside_another(Work* work) {
#pragma omp parallel num_threads(2)
    if (omp_get_thread_num() == 1) {
#pragma omp parallel num_threads(work->width)
        part(work, omp_get_thread_num());
    } else {
        unsigned own = work->seed;
        be_held_up(&own);
#pragma omp parallel num_threads(work->width) firstprivate(own)
        be_held_up(&own);
    }
}

static void (*const ways[])(Work*) = {
    tasks_of_one,           a_task_of_each,     a_taskloop,        tasks_before_another,         tasks_and_their_generator,
    tasks_of_an_inner_team, dynamic_iterations, static_iterations, an_inner_team_beside_another,
};

static void work_meets(int width) {
    static unsigned calls;
    unsigned common = first_draw(__atomic_fetch_add(&calls, 1, __ATOMIC_RELAXED));
    for (int round = 0; round < 6; ++round) {
        const unsigned kind = draw(&common, kinds_for_all), way = draw(&common, sizeof ways / sizeof *ways);
        Work work = {.kind = kind, .seed = common, .width = width};
        open_meeting(&work.meeting, width);
        ways[way](&work);
        EXPECT_EQ(work.passed, width);
        close_meeting(&work.meeting);
    }
}

int main(void) {
    check("work-meets", work_meets);
    return check_done();
}
