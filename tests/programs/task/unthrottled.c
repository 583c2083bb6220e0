// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// With KMP_ENABLE_TASK_THROTTLING=false no thread executes a task only because many are ready: a thread that
// generates 3000 tasks begins none of them before it has generated the last.
//
// libgomp has no such setting:
// test: peer-none gcc
// test: compilers gcc clang
// test: env KMP_ENABLE_TASK_THROTTLING=false
// test: reps 3
#include <sched.h>
#include "check.h"

static void generate_all_first(int width) {
    int generated = 0, early = 0, executed = 0;
    if (width < 2) return;
#pragma omp parallel num_threads(width)
    {
#pragma omp master
        {
            int me = omp_get_thread_num();
            for (int i = 0; i < 3000; ++i) {
#pragma omp task firstprivate(me) shared(generated, early, executed)
                {
                    if (omp_get_thread_num() == me && !__atomic_load_n(&generated, __ATOMIC_ACQUIRE))
                        __atomic_add_fetch(&early, 1, __ATOMIC_RELAXED);
                    while (!__atomic_load_n(&generated, __ATOMIC_ACQUIRE) && omp_get_thread_num() != me) sched_yield();
                    __atomic_add_fetch(&executed, 1, __ATOMIC_RELAXED);
                }
            }
            __atomic_store_n(&generated, 1, __ATOMIC_RELEASE);
        }
    }
    EXPECT_EQ(early, 0);
    EXPECT_EQ(executed, 3000);
}

int main(void) {
    check("generate-all-first", generate_all_first);
    return check_done();
}
