// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// threadprivate: each thread has its own copy, at any depth of nesting, which persists between regions and which
// copyin sets.
#include "check.h"

static int counter = 100;
static double table[64];
static struct {
    char name[24];
    long values[40];
} record = {"initial", {1, 2, 3}};
#pragma omp threadprivate(counter, table, record)

static void own_copy(int width) {
    int* addresses[64];
#pragma omp parallel num_threads(width)
    {
        int me = omp_get_thread_num();
        addresses[me] = &counter;
        counter = 1000 * omp_get_level() + me;
        for (int i = 0; i < 64; ++i) table[i] = me;
#pragma omp barrier
        for (int i = 0; i < width; ++i) EXPECT(i == me || addresses[i] != &counter);
        EXPECT_EQ(counter, 1000 * omp_get_level() + me);
#pragma omp barrier
        for (int i = 0; i < 64; ++i) EXPECT(table[i] == me);
        EXPECT(addresses[me] == &counter);
    }
}

static void across_nested_regions(int width) {
#pragma omp parallel num_threads(width)
    {
        int me = omp_get_thread_num();
        counter = 50 + me;
#pragma omp parallel num_threads(3)
        {
            if (omp_get_thread_num() == 0) EXPECT_EQ(counter, 50 + me);
#pragma omp barrier
            counter = 500 + 10 * me + omp_get_thread_num();
#pragma omp barrier
            EXPECT_EQ(counter, 500 + 10 * me + omp_get_thread_num());
        }
        EXPECT_EQ(counter, 500 + 10 * me);
    }
}

// OpenMP 5.2 section 5.2: values persist between two regions of the initial thread if dyn-var is false, the
// sizes are equal, and neither region is nested.
static void persistence(int width) {
    if (omp_get_level() != 0) return;
#pragma omp parallel num_threads(width)
    {
        counter = 7000 + omp_get_thread_num();
        record.values[39] = omp_get_thread_num();
    }
    for (int i = 0; i < 3; ++i) {
#pragma omp parallel num_threads(width)
        {
            EXPECT_EQ(counter, 7000 + i + omp_get_thread_num());
            EXPECT_EQ(record.values[39], omp_get_thread_num());
            counter++;
        }
    }
}

static void copyin(int width) {
    counter = 31 + omp_get_level();
    strcpy(record.name, "copied in");
    record.values[7] = 77;
    for (int i = 0; i < 64; ++i) table[i] = i * 0.5;
    int want = counter;
#pragma omp parallel num_threads(width) copyin(counter, record, table)
    {
        EXPECT_EQ(counter, want);
        EXPECT(strcmp(record.name, "copied in") == 0);
        EXPECT_EQ(record.values[7], 77);
        EXPECT(table[63] == 31.5);
#pragma omp barrier
        counter += 1 + omp_get_thread_num();
        record.name[0] = 0;
    }
    EXPECT_EQ(counter, want + 1);
}

static void copyprivate(int width) {
#pragma omp parallel num_threads(width)
    {
#pragma omp single copyprivate(counter)
        counter = 4242;
        EXPECT_EQ(counter, 4242);
    }
}

int main(void) {
    check("own-copy", own_copy);
    check("across-nested-regions", across_nested_regions);
    check("persistence", persistence);
    check("copyin", copyin);
    check("copyprivate", copyprivate);
    return check_done();
}
