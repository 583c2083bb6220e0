// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A million nested tasks: each ends after the task within it. Arguments: kind (undeferred, waiting or final),
// width (0: outside of any region).
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char* kind;

static long nest(long left) {
    long below = 0;
    if (left == 0) return 0;
    if (strcmp(kind, "undeferred") == 0) {
#pragma omp task shared(below) if (0)
        below = nest(left - 1);
    } else if (strcmp(kind, "waiting") == 0) {
#pragma omp task shared(below)
        below = nest(left - 1);
#pragma omp taskwait
    } else {
#pragma omp task shared(below) final(1)
        below = nest(left - 1);
#pragma omp taskwait
    }
    return below + 1;
}

int main(int argc, char** argv) {
    long depth = 0;
    if (argc < 3) return 2;
    kind = argv[1];
    if (atoi(argv[2]) == 0) {
        depth = nest(1000000);
    } else {
#pragma omp parallel num_threads(atoi(argv[2]))
#pragma omp single
        depth = nest(1000000);
    }
    printf("%ld\n", depth);
    return 0;
}
