// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Unbalanced tree search: a tree whose shape is known only by walking it. The root has many children; every
// other node has `fan` children with a probability just under 1 / fan, drawn from a hash of its own, so
// subtrees differ by orders of magnitude. A task for each node but the root.
#include "kernel.h"

enum { fan = 8 };

static const uint64_t likely = (uint64_t)(0.1249 * 18446744073709551615.0);

static long root_children;
static long visited;
static long expected;

static uint64_t child_of(uint64_t node, long which) {
    uint64_t state = node + (uint64_t)which * 0x2545f4914f6cdd1du;
    return next_random(&state);
}

static long visit(uint64_t node, long children, long depth) {
    long counts[fan], total = 1;
    for (long first = 0; first < children; first += fan) {
        const long here = children - first < fan ? children - first : fan;
        for (long i = 0; i < here; i++) {
            const uint64_t child = child_of(node, first + i);
            SPAWN(depth, shared(counts) firstprivate(child, i, depth),
                  counts[i] = visit(child, child < likely ? fan : 0, depth + 1));
        }
        WAIT(depth);
        for (long i = 0; i < here; i++) total += counts[i];
    }
    return total;
}

static void prepare(long size) {
    const long asked = cut_off;
    root_children = size;
    cut_off = 0;
    expected = visit(0, root_children, 0);
    cut_off = asked;
}

static void run(void) { visited = visit(0, root_children, 0); }

static void check(void) {
    if (visited != expected) wrong("the tree has %ld nodes, not %ld", expected, visited);
}

static long tasks(void) { return expected - 1; }

int main(int argc, char** argv) {
    const struct Kernel kernel = {"uts", 400, "children of the root", 4, prepare, 0, run, check, tasks};
    return run_kernel(argc, argv, &kernel);
}
