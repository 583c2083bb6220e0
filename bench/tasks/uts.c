// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Unbalanced tree search, in a tree whose shape shows only during the search. The root has many children. Every
// other node draws from its own hash, and has `fan` children with a probability just under 1 / fan, so subtrees
// differ by orders of magnitude. Each node but the root has a task.
#include "work/uts.h"
#include "kernel.h"

static long root_children;
static long visited;
static long expected;

static long visit(uint64_t node, long children, long depth) {
    long counts[fan], total = 1;
    if (depth >= cut_off) return visit_serially(node, children);
    for (long first = 0; first < children; first += fan) {
        const long here = children - first < fan ? children - first : fan;
        for (long i = 0; i < here; i++) {
            const uint64_t child = child_of(node, first + i);
            SPAWN(shared(counts) firstprivate(child, i, depth), counts[i] = visit(child, children_of(child), depth + 1));
        }
#pragma omp taskwait
        for (long i = 0; i < here; i++) total += counts[i];
    }
    return total;
}

static void prepare(long size) {
    root_children = size;
    expected = visit_serially(0, root_children);
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
