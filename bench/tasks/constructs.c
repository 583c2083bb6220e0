// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Overheads of task constructs, by the method of ../epcc.h: the patterns of the EPCC task microbenchmarks
// (Bull, Reid and McDonnell, 2012), and newer constructs.
#include "../epcc.h"

#include <omp.h>

static void use_parallel_task(int threads, int parameter, long uses) {
    (void)parameter;
#pragma omp parallel num_threads(threads)
    for (long i = 0; i < uses; i++) {
#pragma omp task
        delay();
    }
}

static void use_master_task(int threads, int parameter, long uses) {
    (void)parameter;
#pragma omp parallel num_threads(threads)
    {
#pragma omp master
        for (long i = 0; i < uses * threads; i++) {
#pragma omp task
            delay();
        }
    }
}

static void use_master_task_busy(int threads, int parameter, long uses) {
    (void)parameter;
#pragma omp parallel num_threads(threads)
    {
        const int me = omp_get_thread_num();
        for (long i = 0; i < uses; i++) {
            if (me == 0) {
#pragma omp task
                delay();
            } else {
                delay();
            }
        }
    }
}

static void use_conditional_task(int threads, int parameter, long uses) {
#pragma omp parallel num_threads(threads)
    for (long i = 0; i < uses; i++) {
#pragma omp task if (parameter)
        delay();
    }
}

static void use_taskwait(int threads, int parameter, long uses) {
    (void)parameter;
#pragma omp parallel num_threads(threads)
    for (long i = 0; i < uses; i++) {
#pragma omp task
        delay();
#pragma omp taskwait
    }
}

static void use_taskgroup(int threads, int parameter, long uses) {
    (void)parameter;
#pragma omp parallel num_threads(threads)
    for (long i = 0; i < uses; i++) {
#pragma omp taskgroup
        {
#pragma omp task
            delay();
        }
    }
}

static void use_barrier(int threads, int parameter, long uses) {
    (void)parameter;
#pragma omp parallel num_threads(threads)
    for (long i = 0; i < uses; i++) {
#pragma omp task
        delay();
#pragma omp barrier
    }
}

static void use_nested_task(int threads, int parameter, long uses) {
#pragma omp parallel num_threads(threads)
    for (long i = 0; i < uses; i += parameter) {
#pragma omp task
        {
            for (int k = 0; k < parameter; k++) {
#pragma omp task
                delay();
            }
#pragma omp taskwait
        }
    }
}

static void use_nested_master_task(int threads, int parameter, long uses) {
#pragma omp parallel num_threads(threads)
    {
#pragma omp master
        for (long i = 0; i < uses * threads; i += parameter) {
#pragma omp task
            {
                for (int k = 0; k < parameter; k++) {
#pragma omp task
                    delay();
                }
#pragma omp taskwait
            }
        }
    }
}

enum { tree_depth = 4, tree_leaves = 1 << tree_depth, tree_nodes = 2 * tree_leaves - 2 };

static void grow(int depth, int branches) {
    for (int i = 0; i < 2; i++) {
#pragma omp task
        {
            if (depth > 1) {
                grow(depth - 1, branches);
                if (branches) delay();
            } else {
                delay();
            }
        }
    }
#pragma omp taskwait
}

// A tree of tasks in each thread. Every task has the delay, or only the leaves have it.
static void use_tree(int threads, int parameter, long uses) {
#pragma omp parallel num_threads(threads)
    for (long i = 0; i < uses; i++) grow(tree_depth, parameter);
}

static void use_taskloop(int threads, int parameter, long uses) {
    const long calls = 4L * threads;
#pragma omp parallel num_threads(threads)
    {
#pragma omp single
        for (long i = 0; i < uses; i++) {
#pragma omp taskloop grainsize(parameter)
            for (long k = 0; k < calls; k++) delay();
        }
    }
}

static void use_depend(int threads, int parameter, long uses) {
    (void)parameter;
#pragma omp parallel num_threads(threads)
    {
        char link = 0;
        for (long i = 0; i < uses; i++) {
#pragma omp task depend(inout : link)
            delay();
        }
#pragma omp taskwait
        empty(link, 0);
    }
}

int main(int argc, char** argv) {
    const struct EpccOptions options = read_epcc_options(argc, argv, usual_delay, 0, 0);
    const struct Construct constructs[] = {
        {"parallel task", use_parallel_task, 0, delays_all, 1},
        {"master task", use_master_task, 0, delays_all, 1},
        {"master task busy", use_master_task_busy, 0, delays_all, 1},
        {"conditional task", use_conditional_task, 0, delays_all, 1},
        {"task wait", use_taskwait, 0, delays_all, 1},
        {"task group", use_taskgroup, 0, delays_all, 1},
        {"task barrier", use_barrier, 0, delays_all, 1},
        {"nested task", use_nested_task, 4, delays_all, 1},
        {"nested master task", use_nested_master_task, 4, delays_all, 1},
        {"branch tree", use_tree, 1, delays_all, (int)tree_nodes},
        {"leaf tree", use_tree, 0, delays_all, (int)tree_leaves},
        {"taskloop", use_taskloop, 1, delays_all, 4},
        {"task depend", use_depend, 0, delays_all, 1},
    };
    for (unsigned i = 0; i < sizeof constructs / sizeof constructs[0]; i++)
        measure_construct("constructs", &constructs[i], &options);
    return 0;
}
