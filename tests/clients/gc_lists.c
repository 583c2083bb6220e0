// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lists in the heap of Boehm's garbage collector, which each thread makes, keeps on its stack only, and checks, while any of
// them starts collections: these stop all other threads by signals.
//
//   gc_lists OUTER INNER ROUNDS KEEP
//
// OUTER threads, each with a team of INNER; OUTER 0: the initial thread with one. KEEP 1: threads stay known to the collector
// when their region ends, so it stops idle ones, too (with OUTER 0 only: libgomp ends nested ones).
#define GC_THREADS
#include <gc.h>
#include <stdio.h>
#include <stdlib.h>
#include <omp.h>

enum { length = 2000 };

struct Node {
    struct Node* next;
    unsigned value;
};

static int failures;

static struct Node* make_list(unsigned seed) {
    struct Node* first = NULL;
    for (unsigned i = 0; i < length; ++i) {
        struct Node* const node = GC_MALLOC(sizeof *node);
        node->next = first;
        node->value = seed + i;
        first = node;
    }
    return first;
}

static void check_list(const struct Node* node, unsigned seed) {
    unsigned count = 0;
    for (; node != NULL; node = node->next) {
        ++count;
        if (node->value != seed + length - count) __atomic_fetch_add(&failures, 1, __ATOMIC_RELAXED);
    }
    if (count != length) __atomic_fetch_add(&failures, 1, __ATOMIC_RELAXED);
}

static int enrol(void) {
    struct GC_stack_base base;
    if (GC_get_stack_base(&base) != GC_SUCCESS) abort();
    return GC_register_my_thread(&base) == GC_SUCCESS;
}

static void work(int inner, int rounds, int keep) {
#pragma omp parallel num_threads(inner)
    {
        const int enrolled = enrol();
        const unsigned num = (unsigned)omp_get_thread_num();
        for (int round = 0; round < rounds; ++round) {
            const unsigned seed = num * 1000u + (unsigned)round;
            struct Node* const list = make_list(seed);
            // Most threads wait here while the last ones collect.
            if ((unsigned)round % (unsigned)inner == num) GC_gcollect();
#pragma omp barrier
            check_list(list, seed);
            struct Node* other = NULL;
#pragma omp task shared(other)
            other = make_list(seed + 7);
#pragma omp taskwait
            check_list(other, seed + 7);
#pragma omp barrier
        }
        if (enrolled && !keep) GC_unregister_my_thread();
    }
}

int main(int argc, char** argv) {
    if (argc != 5) return 2;
    const int outer = atoi(argv[1]), inner = atoi(argv[2]), rounds = atoi(argv[3]), keep = atoi(argv[4]);
    GC_INIT();
    GC_allow_register_threads();
    for (int region = 0; region < 3; ++region) {
        if (outer == 0) work(inner, rounds, keep);
#pragma omp parallel num_threads(outer == 0 ? 1 : outer)
        {
            const int enrolled = enrol();
            if (outer != 0) work(inner, rounds, keep);
            if (enrolled && !keep) GC_unregister_my_thread();
        }
        GC_gcollect();
    }
    if (failures != 0) printf("%d nodes were lost\n", failures);
    return failures != 0 || GC_get_gc_no() < (GC_word)(3 * rounds);
}
