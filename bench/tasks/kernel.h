// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The common code of the task kernels. As in the Barcelona OpenMP Tasks Suite, each kernel is one recursive or irregular
// computation whose only parallelism is tasks, tied or untied, which one thread of a team starts, with or without a cut-off in
// its depth. The work, all code of more than a few instructions without a construct, is in work/, with the serial version
// that runs below the cut-off. It is compiled once, so that every binary has the same object code.
#pragma once

#include "../measure.h"
#include "random.h"

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

struct Kernel {
    const char* name;
    long size;  // default problem size
    const char* size_help;
    long cut_off;                // the depth below which cut-off=1 makes no tasks
    void (*prepare)(long size);  // called once, before all timing; may compute the result for check(); may be null
    void (*reset)(void);         // called before each pass, inside its time; may be null
    void (*run)(void);           // one thread's part of a pass, inside the region; generates the tasks
    void (*check)(void);         // called after each pass, inside its time: cheap; ends the program if the result is wrong
    long (*tasks)(void);         // number of tasks of a pass without cut-off; null or 0: not known
};

// Set before prepare(). Calls at a lesser depth than this generate tasks; deeper calls run the serial version. 0: no tasks.
extern long cut_off;
extern bool untied;

#define KERNEL_PRAGMA(x) _Pragma(#x)

// Executes the statements as a task with these clauses.
#define SPAWN(clauses, ...)                                         \
    do {                                                            \
        if (untied) {                                               \
            KERNEL_PRAGMA(omp task untied clauses) { __VA_ARGS__; } \
        } else {                                                    \
            KERNEL_PRAGMA(omp task clauses) { __VA_ARGS__; }        \
        }                                                           \
    } while (0)

// The body of main(): options threads=, size=, cut-off=0/1, untied=0/1, serial=cores; one JSON line.
int run_kernel(int argc, char** argv, const struct Kernel* kernel);
