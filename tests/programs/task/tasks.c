// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// task: each task runs once; its data, taskwait, recursion, if and final, priorities, mergeable, untied, taskyield,
// barriers.
#include "check.h"

static void each_once(int width) {
    int hits[200] = {0};
#pragma omp parallel num_threads(width)
    {
#pragma omp single
        for (int i = 0; i < 200; ++i) {
#pragma omp task firstprivate(i)
            {
#pragma omp atomic
                hits[i]++;
            }
        }
    }
    for (int i = 0; i < 200; ++i) EXPECT_EQ(hits[i], 1);
}

static void from_every_thread(int width) {
    int count = 0;
#pragma omp parallel num_threads(width)
    {
        for (int i = 0; i < 20; ++i) {
#pragma omp task
            {
#pragma omp atomic
                count++;
            }
        }
#pragma omp barrier
        EXPECT_EQ(count, 20 * width);
    }
}

static void data(int width) {
    int shared_value = 0;
    struct {
        long pad[20];
        int value;
    } first = {{0}, 3};
#pragma omp parallel num_threads(width)
    {
#pragma omp single
        {
            int local = 5;
            double array[50];
            for (int i = 0; i < 50; ++i) array[i] = i;
#pragma omp task firstprivate(local, first, array) shared(shared_value)
            {
                EXPECT_EQ(local, 5);
                EXPECT_EQ(first.value, 3);
                for (int i = 0; i < 50; ++i) EXPECT(array[i] == i);
                shared_value = 1;
            }
            local = 6;
            array[3] = -1;
#pragma omp taskwait
            EXPECT_EQ(shared_value, 1);
#pragma omp task shared(local)
            local++;
#pragma omp taskwait
            EXPECT_EQ(local, 7);
        }
    }
}

static int fibonacci(int n) {
    int a, b;
    if (n < 2) return n;
#pragma omp task shared(a) if (n > 4)
    a = fibonacci(n - 1);
#pragma omp task shared(b) final(n < 6) mergeable
    b = fibonacci(n - 2);
#pragma omp taskwait
    return a + b;
}

static void recursion(int width) {
    int result = 0;
#pragma omp parallel num_threads(width)
    {
#pragma omp single
        result = fibonacci(12);
    }
    EXPECT_EQ(result, 144);
}

static void if_false_runs_at_once(int width) {
#pragma omp parallel num_threads(width)
    {
        int me = omp_get_thread_num(), ran = 0;
#pragma omp task if (0) shared(ran)
        {
            EXPECT_EQ(omp_get_thread_num(), me);
            EXPECT_EQ(omp_in_final(), 0);
            ran = 1;
        }
        EXPECT_EQ(ran, 1);
    }
}

static void final_tasks(int width) {
#pragma omp parallel num_threads(width)
    {
#pragma omp single
        {
            EXPECT_EQ(omp_in_final(), 0);
#pragma omp task final(1)
            {
                int ran = 0, me = omp_get_thread_num();
                EXPECT_EQ(omp_in_final(), 1);
#pragma omp task shared(ran)
                {
                    EXPECT_EQ(omp_in_final(), 1);
                    EXPECT_EQ(omp_get_thread_num(), me);
                    ran = 1;
                }
                EXPECT_EQ(ran, 1);
            }
#pragma omp task final(0)
            EXPECT_EQ(omp_in_final(), 0);
        }
    }
}

static void attributes(int width) {
    int count = 0;
#pragma omp parallel num_threads(width)
    {
#pragma omp single nowait
        for (int i = 0; i < 30; ++i) {
#pragma omp task priority(i % 5)
            {
#pragma omp atomic
                count++;
            }
#pragma omp task untied
            {
#pragma omp taskyield
#pragma omp atomic
                count++;
#pragma omp taskyield
            }
#pragma omp task mergeable
            {
#pragma omp atomic
                count++;
            }
        }
    }
    EXPECT_EQ(count, 90);
}

// A tied task stays on the thread that began it, in every kind of wait.
static void tied(int width) {
    int wrong = 0;
#pragma omp parallel num_threads(width)
    {
#pragma omp single nowait
        for (int i = 0; i < 20; ++i) {
#pragma omp task shared(wrong)
            {
                int me = omp_get_thread_num();
#pragma omp task
                {
                    volatile int nothing = 0;
                    (void)nothing;
                }
#pragma omp taskyield
                if (omp_get_thread_num() != me) {
#pragma omp atomic
                    wrong++;
                }
#pragma omp taskwait
                if (omp_get_thread_num() != me) {
#pragma omp atomic
                    wrong++;
                }
            }
        }
    }
    EXPECT_EQ(wrong, 0);
}

static void taskwait_waits_for_children_only(int width) {
    int children = 0, all = 0;
#pragma omp parallel num_threads(width)
    {
#pragma omp single
        {
            for (int i = 0; i < 10; ++i) {
#pragma omp task
                {
#pragma omp task
                    {
#pragma omp atomic
                        all++;
                    }
#pragma omp atomic
                    children++;
                }
            }
#pragma omp taskwait
            EXPECT_EQ(children, 10);
        }
        EXPECT_EQ(all, 10);
    }
}

static void outside_any_region(int width) {
    int count = 0;
    (void)width;
#pragma omp task shared(count)
    {
#pragma omp atomic
        count++;
    }
#pragma omp task shared(count)
    {
#pragma omp task shared(count)
        {
#pragma omp atomic
            count++;
        }
#pragma omp taskwait
    }
#pragma omp taskwait
    EXPECT_EQ(count, 2);
#pragma omp taskyield
}

static void region_inside_a_task(int width) {
    int sum = 0;
#pragma omp parallel num_threads(width)
    {
#pragma omp single
        for (int i = 0; i < 4; ++i) {
#pragma omp task
            {
                int level = omp_get_level(), inner = 0;
#pragma omp parallel num_threads(2) reduction(+ : inner)
                {
                    EXPECT_EQ(omp_get_level(), level + 1);
                    inner += 1 + omp_get_thread_num();
                }
#pragma omp atomic
                sum += inner;
            }
        }
    }
    EXPECT_EQ(sum, 12);
}

// ICVs belong to a task: a value that a task sets does not reach its parent or its siblings.
static void icvs(int width) {
#pragma omp parallel num_threads(width)
    {
#pragma omp single
        {
            omp_set_num_threads(5);
            for (int i = 0; i < 4; ++i) {
#pragma omp task firstprivate(i)
                {
                    EXPECT_EQ(omp_get_max_threads(), 5);
                    omp_set_num_threads(10 + i);
                    EXPECT_EQ(omp_get_max_threads(), 10 + i);
                }
            }
#pragma omp taskwait
            EXPECT_EQ(omp_get_max_threads(), 5);
        }
    }
}

static void worksharing_beside_tasks(int width) {
    int tasks = 0, iterations = 0;
#pragma omp parallel num_threads(width)
    {
#pragma omp for schedule(dynamic, 2) reduction(+ : iterations)
        for (int i = 0; i < 40; ++i) {
            iterations++;
#pragma omp task
            {
#pragma omp atomic
                tasks++;
            }
        }
#pragma omp barrier
        EXPECT_EQ(tasks, 40);
        EXPECT_EQ(iterations, 40);
    }
}

int main(void) {
    check("each-once", each_once);
    check("from-every-thread", from_every_thread);
    check("data", data);
    check("recursion", recursion);
    check("if-false-runs-at-once", if_false_runs_at_once);
    check("final-tasks", final_tasks);
    check("attributes", attributes);
    check("tied", tied);
    check("taskwait-waits-for-children-only", taskwait_waits_for_children_only);
    check("outside-any-region", outside_any_region);
    check("region-inside-a-task", region_inside_a_task);
    check("icvs", icvs);
    check("worksharing-beside-tasks", worksharing_beside_tasks);
    return check_done();
}
