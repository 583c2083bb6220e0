// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Locks with a hint exclude like locks without.
//
// libgomp 12 declares the routines but lacks them, so gcc cannot link this program:
// test: compilers clang
#include "check.h"

static const omp_sync_hint_t hints[] = {
    omp_sync_hint_none,        omp_sync_hint_uncontended,
    omp_sync_hint_contended,   omp_sync_hint_nonspeculative,
    omp_sync_hint_speculative, (omp_sync_hint_t)(omp_sync_hint_contended | omp_sync_hint_nonspeculative)};
enum { hint_count = sizeof hints / sizeof *hints };

static void simple(int width) {
    for (int i = 0; i < hint_count; ++i) {
        omp_lock_t lock;
        long count = 0;
        omp_init_lock_with_hint(&lock, hints[i]);
#pragma omp parallel num_threads(width)
        for (int k = 0; k < 10; ++k) {
            omp_set_lock(&lock);
            count++;
            omp_unset_lock(&lock);
        }
        EXPECT_EQ(count, 10 * width);
        EXPECT(omp_test_lock(&lock));
        EXPECT(!omp_test_lock(&lock));
        omp_unset_lock(&lock);
        omp_destroy_lock(&lock);
    }
}

static void nestable(int width) {
    for (int i = 0; i < hint_count; ++i) {
        omp_nest_lock_t lock;
        long count = 0;
        omp_init_nest_lock_with_hint(&lock, hints[i]);
#pragma omp parallel num_threads(width)
        for (int k = 0; k < 10; ++k) {
            omp_set_nest_lock(&lock);
            EXPECT_EQ(omp_test_nest_lock(&lock), 2);
            count++;
            omp_unset_nest_lock(&lock);
            omp_unset_nest_lock(&lock);
        }
        EXPECT_EQ(count, 10 * width);
        omp_destroy_nest_lock(&lock);
    }
}

int main(void) {
    check("simple", simple);
    check("nestable", nestable);
    return check_done();
}
