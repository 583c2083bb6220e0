// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// critical: regions of one name, unnamed or hinted regions too, exclude each other across teams and nesting levels.
// The checks read counts outside the section that guards them, while concurrent callers may be in it:
// test: races unnamed named hinted
#include "check.h"

// All outer teams share the critical region of a name, so the variables that it guards may be global.
static long unnamed_count, first_count, second_count, hinted_count;
static int unnamed_inside, first_inside, second_inside, hinted_inside;

#define GUARDED(inside, count)            \
    {                                     \
        EXPECT_EQ(inside++, 0);           \
        volatile int work = 5;            \
        while (work > 0) work = work - 1; \
        count++;                          \
        inside--;                         \
    }

static long read_count(long* count) {
    long value;
#pragma omp atomic read
    value = *count;
    return value;
}

static void unnamed(int width) {
    long before = read_count(&unnamed_count);
#pragma omp parallel num_threads(width)
    for (int i = 0; i < 20; ++i) {
#pragma omp critical
        GUARDED(unnamed_inside, unnamed_count)
    }
    long after = read_count(&unnamed_count);
    EXPECT(omp_get_level() ? after >= before + 20 * width : after == before + 20 * width);
}

static void named(int width) {
    long before = read_count(&first_count);
#pragma omp parallel num_threads(width)
    for (int i = 0; i < 20; ++i) {
#pragma omp critical(first)
        GUARDED(first_inside, first_count)
#pragma omp critical(second)
        GUARDED(second_inside, second_count)
    }
    long after = read_count(&first_count);
    EXPECT(omp_get_level() ? after >= before + 20 * width : after == before + 20 * width);
}

// A critical region inside a region of another name would hang if names shared a lock.
static void inside_another(int width) {
    int count = 0;
#pragma omp parallel num_threads(width) reduction(+ : count)
    for (int i = 0; i < 5; ++i) {
#pragma omp critical(first)
        {
#pragma omp critical(second)
            {
#pragma omp critical
                count++;
            }
        }
    }
    EXPECT_EQ(count, 5 * width);
}

static void hinted(int width) {
    long before = read_count(&hinted_count);
#pragma omp parallel num_threads(width)
    for (int i = 0; i < 20; ++i) {
#pragma omp critical(hinted) hint(omp_sync_hint_contended)
        GUARDED(hinted_inside, hinted_count)
#pragma omp critical(speculated) hint(omp_sync_hint_speculative)
        {
            volatile int nothing = 0;
            (void)nothing;
        }
#pragma omp critical(lonely) hint(omp_sync_hint_uncontended | omp_sync_hint_nonspeculative)
        {
            volatile int nothing = 0;
            (void)nothing;
        }
    }
    long after = read_count(&hinted_count);
    EXPECT(omp_get_level() ? after >= before + 20 * width : after == before + 20 * width);
}

static void held_over_nested_region(int width) {
    int sum = 0;
#pragma omp parallel num_threads(width)
    {
#pragma omp critical(over_region)
        {
            int before = sum;
#pragma omp parallel num_threads(2)
            {
#pragma omp atomic
                sum++;
            }
            EXPECT_EQ(sum, before + 2);
        }
    }
    EXPECT_EQ(sum, 2 * width);
}

int main(void) {
    check("unnamed", unnamed);
    check("named", named);
    check("inside-another", inside_another);
    check("hinted", hinted);
    check("held-over-nested-region", held_over_nested_region);
    return check_done();
}
