// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// taskgroup: waits for descendants; task_reduction, in_reduction, and reduction(task, ...) on regions and
// loops.
#include "check.h"

static void spawn_tree(int depth, int* count) {
#pragma omp atomic
    ++*count;
    if (depth > 0)
        for (int i = 0; i < 2; ++i) {
#pragma omp task
            spawn_tree(depth - 1, count);
        }
}

static void waits_for_descendants(int width) {
    int count = 0, outside = 0;
#pragma omp parallel num_threads(width)
    {
#pragma omp single
        {
#pragma omp task shared(outside)
            {
#pragma omp atomic
                outside++;
            }
#pragma omp taskgroup
            {
#pragma omp task
                spawn_tree(5, &count);
            }
            EXPECT_EQ(count, 63);
        }
        EXPECT_EQ(outside, 1);
    }
}

static void nested(int width) {
    int inner = 0, outer = 0;
#pragma omp parallel num_threads(width)
    {
#pragma omp taskgroup
        {
#pragma omp task
            {
#pragma omp taskgroup
                {
                    for (int i = 0; i < 3; ++i) {
#pragma omp task
                        {
#pragma omp atomic
                            inner++;
                        }
                    }
                }
#pragma omp atomic
                outer++;
            }
        }
#pragma omp barrier
        EXPECT_EQ(inner, 3 * width);
        EXPECT_EQ(outer, width);
    }
}

static void empty(int width) {
#pragma omp parallel num_threads(width)
    for (int i = 0; i < 10; ++i) {
#pragma omp taskgroup
        {}
    }
}

static void task_reduction(int width) {
    int sum = 1000;
    double product = 1;
    long array[4] = {0, 0, 0, 0};
#pragma omp parallel num_threads(width)
    {
#pragma omp single
        {
#pragma omp taskgroup task_reduction(+ : sum, array) task_reduction(* : product)
            {
                for (int i = 0; i < 50; ++i) {
#pragma omp task in_reduction(+ : sum, array) firstprivate(i)
                    {
                        sum += i;
                        array[i % 4] += 1;
                    }
                }
                for (int i = 0; i < 6; ++i) {
#pragma omp task in_reduction(* : product)
                    product *= 2;
                }
            }
            EXPECT_EQ(sum, 1000 + 1225);
            EXPECT(product == 64);
            EXPECT_EQ(array[0] + array[1] + array[2] + array[3], 50);
        }
    }
}

static void add_tree(int depth, long* total) {
    long sum = 0;
#pragma omp taskgroup task_reduction(+ : sum)
    {
        for (int i = 0; i < 3; ++i) {
#pragma omp task in_reduction(+ : sum) firstprivate(depth)
            {
                sum += 1;
                if (depth > 0) {
                    long below = 0;
                    add_tree(depth - 1, &below);
                    sum += below;
                }
            }
        }
    }
    *total = sum;
}

static void nested_reductions(int width) {
    long total = 0;
#pragma omp parallel num_threads(width)
    {
#pragma omp single
        add_tree(2, &total);
    }
    EXPECT_EQ(total, 3 + 9 + 27);
}

static void task_modifier_on_region(int width) {
    int sum = 5;
#pragma omp parallel num_threads(width) reduction(task, + : sum)
    {
        sum += 100;
        for (int i = 0; i < 5; ++i) {
#pragma omp task in_reduction(+ : sum)
            sum += 1;
        }
    }
    EXPECT_EQ(sum, 5 + 105 * width);
}

static void task_modifier_on_loop(int width) {
    long sum = 0;
#pragma omp parallel num_threads(width)
    {
#pragma omp for reduction(task, + : sum) schedule(dynamic, 3)
        for (int i = 0; i < 30; ++i) {
            sum += i;
#pragma omp task in_reduction(+ : sum)
            sum += 1000;
        }
        EXPECT_EQ(sum, 435 + 30000);
    }
}

int main(void) {
    check("waits-for-descendants", waits_for_descendants);
    check("nested", nested);
    check("empty", empty);
    check("task-reduction", task_reduction);
    check("nested-reductions", nested_reductions);
    check("task-modifier-on-region", task_modifier_on_region);
    check("task-modifier-on-loop", task_modifier_on_loop);
    return check_done();
}
