// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// single: one thread executes each region; the implied barrier, nowait, copyprivate, private data; orphaned regions
// and many in a row.
// With nine carriers a team of eight counts its constructs on a line of their own.
// test: env
// test: env GOSSAMER_CARRIERS=9
#include <unistd.h>

#include "check.h"

static void one_thread(int width) {
    int count = 0;
#pragma omp parallel num_threads(width)
    {
        for (int i = 1; i <= 10; ++i) {
#pragma omp single
            count++;
            EXPECT_EQ(count, i);
#pragma omp barrier
        }
    }
    EXPECT_EQ(count, 10);
}

static void nowait(int width) {
    int count[50] = {0};
#pragma omp parallel num_threads(width)
    for (int i = 0; i < 50; ++i) {
#pragma omp single nowait
        {
#pragma omp atomic
            count[i]++;
        }
    }
    for (int i = 0; i < 50; ++i) EXPECT_EQ(count[i], 1);
}

typedef struct {
    double values[20];
    char text[100];
} Large;

static void copyprivate(int width) {
#pragma omp parallel num_threads(width)
    for (int round = 0; round < 5; ++round) {
        int number;
        double* where;
        Large large;
#pragma omp single copyprivate(number, where, large)
        {
            number = 40 + round;
            where = &large.values[3];
            memset(&large, 0, sizeof large);
            large.values[19] = 2.5 * round;
            strcpy(large.text, "copied");
        }
        EXPECT_EQ(number, 40 + round);
        EXPECT(where != NULL);
        EXPECT(large.values[19] == 2.5 * round);
        EXPECT(strcmp(large.text, "copied") == 0);
        number = -1;
        large.text[0] = 0;
    }
}

static void copyprivate_of_tasks(int width) {
#pragma omp parallel num_threads(width)
    for (int round = 0; round < 5; ++round) {
        int sum;
        // Threads that wait for the sum may execute tasks that were generated before.
        int before = 0;
#pragma omp task shared(before)
        before = 1 + round;
#pragma omp single copyprivate(sum)
        {
            sum = 0;
            for (int i = 0; i < 20; ++i)
#pragma omp task shared(sum)
#pragma omp atomic
                sum += i + round;
#pragma omp taskwait
        }
        EXPECT_EQ(sum, 190 + 20 * round);
        EXPECT_EQ(before, 1 + round);
    }
}

static void copyprivate_late(int width) {
#pragma omp parallel num_threads(width)
    for (int round = 0; round < 3; ++round) {
        int number;
#pragma omp single copyprivate(number)
        {
            usleep(2000);  // the waiters have stopped spinning by now
            number = round;
        }
        EXPECT_EQ(number, round);
    }
}

static int once(int* count) {
    int result;
#pragma omp single copyprivate(result)
    result = ++*count;
    return result;
}

static void orphaned(int width) {
    int count = 0;
#pragma omp parallel num_threads(width)
    for (int i = 1; i <= 5; ++i) EXPECT_EQ(once(&count), i);
    EXPECT_EQ(count, 5);
    if (omp_get_level() == 0) EXPECT_EQ(once(&count), 6);
}

static void private_data(int width) {
    int value = 9, sum = 0;
#pragma omp parallel num_threads(width)
    {
#pragma omp single firstprivate(value)
        {
            EXPECT_EQ(value, 9);
            value = 1;
            sum += value;
        }
    }
    EXPECT_EQ(value, 9);
    EXPECT_EQ(sum, 1);
}

static void nested_region_inside(int width) {
    int count = 0;
#pragma omp parallel num_threads(width)
    {
#pragma omp single
        {
#pragma omp parallel num_threads(3)
            {
#pragma omp single
                {
#pragma omp atomic
                    count += 10;
                }
#pragma omp atomic
                count++;
            }
        }
        EXPECT_EQ(count, 13);
    }
}

int main(void) {
    check("one-thread", one_thread);
    check("nowait", nowait);
    check("copyprivate", copyprivate);
    check("copyprivate-of-tasks", copyprivate_of_tasks);
    check("copyprivate-late", copyprivate_late);
    check("orphaned", orphaned);
    check("private-data", private_data);
    check("nested-region-inside", nested_region_inside);
    return check_done();
}
