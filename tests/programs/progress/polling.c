// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads that meet again and again by polling through OpenMP's own constructs, none of which makes them wait: a critical
// section, a lock that is free, a taskwait without tasks. One of them opens regions meanwhile.
//
// A kernel thread needs a time slice for each turn:
// test: peer-teams gcc 1 2 3
// test: peer-teams clang 1 2 3
// test: reps 2
#include "check.h"

struct Meeting {
    int arrived;
    omp_lock_t lock;
};

static int arrived_by_critical(struct Meeting* meeting) {
    int count;
#pragma omp critical
    count = meeting->arrived;
    return count;
}

static int arrived_by_lock(struct Meeting* meeting) {
    omp_set_lock(&meeting->lock);
    int count = meeting->arrived;
    omp_unset_lock(&meeting->lock);
    return count;
}

static int arrived_by_taskwait(struct Meeting* meeting) {
    int count;
#pragma omp taskwait
#pragma omp atomic read seq_cst
    count = meeting->arrived;
    return count;
}

static void meet_by(int width, int (*poll)(struct Meeting*), int inner) {
    enum { rounds = 10 };
    struct Meeting meeting = {0};
    int sum = 0;
    omp_init_lock(&meeting.lock);
#pragma omp parallel num_threads(width)
    for (int round = 1; round <= rounds; ++round) {
        if (omp_get_thread_num() == 0 && inner > 0) {
            int met = 0;
#pragma omp parallel num_threads(inner) reduction(+ : met)
            met++;
            sum += met;
        }
        omp_set_lock(&meeting.lock);
#pragma omp critical
#pragma omp atomic update seq_cst
        meeting.arrived++;
        omp_unset_lock(&meeting.lock);
        while (poll(&meeting) < round * width) {}
    }
    omp_destroy_lock(&meeting.lock);
    EXPECT_EQ(meeting.arrived, rounds * width);
    EXPECT_EQ(sum, rounds * inner);
}

static void by_critical(int width) { meet_by(width, arrived_by_critical, 0); }
static void by_lock(int width) { meet_by(width, arrived_by_lock, 0); }
static void by_taskwait(int width) { meet_by(width, arrived_by_taskwait, 0); }
static void beside_regions(int width) { meet_by(width, arrived_by_critical, 2); }

int main(void) {
    check("by-critical", by_critical);
    check("by-lock", by_lock);
    check("by-taskwait", by_taskwait);
    check("beside-regions", beside_regions);
    return check_done();
}
