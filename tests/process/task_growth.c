// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Resident memory over many tasks of every kind, generated outside of any region, in a team of one, in a team of two,
// and in a final task. Where memory grows by more than a mebibyte, prints the kind, the place, and KiB after a fifth of
// the tasks and at the end. Prints the number of tasks last. Argument: tasks of each kind.
#include "usage.h"

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

static long sum;

#define PAYLOAD(name, size) \
    struct name {           \
        char bytes[size];   \
    }
PAYLOAD(Small, 8);
PAYLOAD(Middle, 300);
PAYLOAD(Large, 500);
PAYLOAD(Larger, 700);
PAYLOAD(Huge, 5000);

enum { kinds = 17 };

static void one(int kind) {
    static int x __attribute__((unused)), y __attribute__((unused));  // addresses in depend clauses
    struct Small small = {{1}};
    struct Middle middle = {{1}};
    struct Large large = {{1}};
    struct Larger larger = {{1}};
    struct Huge huge = {{1}};
    int i = kind;
    switch (kind) {
#define CARRY(variable) __atomic_fetch_add(&sum, variable.bytes[0], __ATOMIC_RELAXED)
        case 0:
#pragma omp task firstprivate(small)
            CARRY(small);
            break;
        case 1:
#pragma omp task firstprivate(middle)
            CARRY(middle);
            break;
        case 2:
#pragma omp task firstprivate(large)
            CARRY(large);
            break;
        case 3:
#pragma omp task firstprivate(larger)
            CARRY(larger);
            break;
        case 4:
#pragma omp task firstprivate(huge)
            CARRY(huge);
            break;
        case 5:
#pragma omp task final(1) firstprivate(small)
            CARRY(small);
            break;
        case 6:
#pragma omp task final(1) firstprivate(large)
            CARRY(large);
            break;
        case 7:
#pragma omp task if (0) firstprivate(small)
            CARRY(small);
            break;
        case 8:
#pragma omp task if (0) final(1) firstprivate(middle)
            CARRY(middle);
            break;
        case 9:
#pragma omp task untied final(i > 0) firstprivate(small)
            CARRY(small);
            break;
        case 10:
#pragma omp task mergeable priority(2) firstprivate(small)
            CARRY(small);
            break;
        case 11: {
            omp_event_handle_t event;
#pragma omp task detach(event) firstprivate(small)
            {
                CARRY(small);
                omp_fulfill_event(event);
            }
            break;
        }
        case 12:
#pragma omp task depend(inout : x) depend(in : y) firstprivate(small)
            CARRY(small);
            break;
        case 13:
#pragma omp task depend(inout : x) final(1) firstprivate(large)
            CARRY(large);
            break;
        case 14:
#pragma omp taskgroup
        {
#pragma omp task firstprivate(small)
#pragma omp task firstprivate(large)
            CARRY(large);
        }
            break;
        case 15:
#pragma omp taskloop num_tasks(4) firstprivate(small)
            for (int each = 0; each < 4; ++each) CARRY(small);
            break;
        case 16:
#pragma omp task firstprivate(small, i)
            {
#pragma omp task final(1) firstprivate(middle)
                CARRY(middle);
#pragma omp taskwait
            }
            break;
    }
}

static void some(int kind, long count) {
    for (long i = 0; i < count; ++i) {
        one(kind);
        if (i % 1000 == 999) {
#pragma omp taskwait
        }
    }
#pragma omp taskwait
}

static void generate(int kind, int place, long count) {
    switch (place) {
        case 0: some(kind, count); break;
        case 1:
        case 2:
#pragma omp parallel num_threads(place)
#pragma omp single
            some(kind, count);
            break;
        case 3:
#pragma omp parallel num_threads(2)
#pragma omp single
#pragma omp task final(1)
            some(kind, count);
            break;
    }
}

int main(int argc, char** argv) {
    const long count = argc > 1 ? atol(argv[1]) : 10000;
    for (int place = 0; place < 4; ++place)
        for (int kind = 0; kind < kinds; ++kind) {
            generate(kind, place, count / 5);
            const long early = resident_kib();
            generate(kind, place, count - count / 5);
            const long late = resident_kib();
            if (late - early > 1024) printf("kind %d in place %d: %ld KiB, then %ld\n", kind, place, early, late);
        }
    printf("%ld\n", sum);
    return 0;
}
