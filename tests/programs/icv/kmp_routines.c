// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kmp_ routines, for programs written for Intel's and LLVM's runtimes.
// test: compilers clang
#include <limits.h>
#include "check.h"

static void memory(int width) {
#pragma omp parallel num_threads(width)
    {
        int me = omp_get_thread_num();
        char* first = (char*)kmp_malloc(100);
        char* second = (char*)kmp_calloc(10, 30);
        EXPECT(first && second);
        memset(first, me, 100);
        for (int i = 0; i < 300; ++i) EXPECT_EQ(second[i], 0);
        first = (char*)kmp_realloc(first, 5000);
        EXPECT(first != NULL);
        for (int i = 0; i < 100; ++i) EXPECT_EQ(first[i], me);
        char* aligned = (char*)kmp_aligned_malloc(1000, 256);
        EXPECT_EQ((long)aligned % 256, 0);
        kmp_free(aligned);
        char* const empty[] = {(char*)kmp_malloc(0), (char*)kmp_calloc(0, 4), (char*)kmp_aligned_malloc(0, 64)};
        for (int i = 0; i < 3; ++i) {
            EXPECT(empty[i] != NULL);
            kmp_free(empty[i]);
        }
        EXPECT(kmp_aligned_malloc(1000, 96) == NULL);
        kmp_free(second);
        kmp_free(first);
    }
}

static void block_time(int width) {
    if (omp_get_level() != 0) return;
    int before = kmp_get_blocktime();
    kmp_set_blocktime(7);
    EXPECT_EQ(kmp_get_blocktime(), 7);
    int count = 0;
#pragma omp parallel num_threads(width) reduction(+ : count)
    count = 1;
    EXPECT_EQ(count, width);
    kmp_set_blocktime(0);
    EXPECT_EQ(kmp_get_blocktime(), 0);
    kmp_set_blocktime(before);
}

static void stack_size(int width) {
    (void)width;
    EXPECT(kmp_get_stacksize_s() >= 65536);
    EXPECT(kmp_get_stacksize() >= 0);
}

static void library_kind(int width) {
    if (omp_get_level() != 0) return;
    int before = kmp_get_library();
    kmp_set_library_throughput();
    int count = 0;
#pragma omp parallel num_threads(width) reduction(+ : count)
    count = 1;
    EXPECT_EQ(count, width);
    kmp_set_library(before);
    kmp_set_warnings_off();
    kmp_set_defaults("KMP_BLOCKTIME=200");
}

// What a kind of library changes ends with it.
static void library_kinds_in_turn(int width) {
    (void)width;
    if (omp_get_level() != 0) return;
    int before = kmp_get_library(), blocktime = kmp_get_blocktime(), levels = omp_get_max_active_levels();
    kmp_set_library_turnaround();
    kmp_set_library_throughput();
    EXPECT(kmp_get_blocktime() < INT_MAX);
    omp_set_max_active_levels(1);
    kmp_set_library_serial();
    kmp_set_library_throughput();
    EXPECT_EQ(omp_get_max_active_levels(), 1);
    omp_set_max_active_levels(levels);
    kmp_set_library(before);
    kmp_set_blocktime(blocktime);
}

static void affinity_masks(int width) {
    (void)width;
    kmp_affinity_mask_t mask;
    kmp_create_affinity_mask(&mask);
    EXPECT_EQ(kmp_set_affinity_mask_proc(0, &mask), 0);
    EXPECT_EQ(kmp_get_affinity_mask_proc(0, &mask), 1);
    EXPECT_EQ(kmp_unset_affinity_mask_proc(0, &mask), 0);
    EXPECT_EQ(kmp_get_affinity_mask_proc(0, &mask), 0);
    EXPECT(kmp_get_affinity_max_proc() >= 1);
    kmp_destroy_affinity_mask(&mask);
}

int main(void) {
    check("memory", memory);
    check("block-time", block_time);
    check("stack-size", stack_size);
    check("library-kind", library_kind);
    check("library-kinds-in-turn", library_kinds_in_turn);
    check("affinity-masks", affinity_masks);
    return check_done();
}
