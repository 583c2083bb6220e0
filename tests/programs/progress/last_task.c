// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The last thing that a thread of a wide team does is to defer a task: whoever was woken for it while the region came to its
// end has to find its way into the next region, where threads wait for tasks by their own means.
//
// test: reps 1
// libomp 19, told to wait passively, leaves a thread asleep while a task lies that another waits for:
// test: peer-none clang
#include <sched.h>
#include <unistd.h>

#include "check.h"
#include "compute.h"

// Regions whose threads all run at once, so that the primary thread is used to find them over.
static void come_into_the_habit(int width) {
    int sum = 0;
    for (int i = 0; i < 200; ++i) {
#pragma omp parallel num_threads(width) reduction(+ : sum)
        sum += 1;
    }
    EXPECT_EQ(sum, 200 * width);
}

static void defer_last(int width, int microseconds, int* executed) {
    int begun = 0;
#pragma omp parallel num_threads(width)
    if (omp_get_thread_num() == width - 1) {
        __atomic_store_n(&begun, 1, __ATOMIC_RELEASE);
        compute_for(microseconds);
#pragma omp task
        __atomic_add_fetch(executed, 1, __ATOMIC_RELAXED);
    } else if (omp_get_thread_num() != 0) {
        while (!__atomic_load_n(&begun, __ATOMIC_ACQUIRE)) sched_yield();
    }
}

static void await_a_task_of_the_next(int* executed) {
    const int before = __atomic_load_n(executed, __ATOMIC_RELAXED);
#pragma omp parallel num_threads(2)
    {
#pragma omp barrier
        if (omp_get_thread_num() == 0) {
            usleep(3000);  // the other one sleeps at the end
#pragma omp task
            __atomic_add_fetch(executed, 1, __ATOMIC_RELAXED);
            while (__atomic_load_n(executed, __ATOMIC_RELAXED) == before) usleep(100);
        }
    }
}

static void last_task(int width) {
    enum { rounds = 10 };
    int executed = 0;
    for (int i = 0; i < rounds; ++i) {
        come_into_the_habit(width);
        defer_last(width, 20 * i, &executed);
        await_a_task_of_the_next(&executed);
    }
    EXPECT_EQ(executed, 2 * rounds);
}

int main(void) {
    check("last-task", last_task);
    return check_done();
}
