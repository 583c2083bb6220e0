// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the task kernels share: in the manner of the Barcelona OpenMP Tasks Suite, each is one recursive or
// irregular computation whose parallelism is tasks alone, started by one thread of a team, tied or untied,
// with a cut-off in its depth or without. The work, that is all that contains no construct and is more than a few
// instructions, stands in work/, with the serial version that goes on below the cut-off. It is compiled once, so that it is the
// same object code in every binary.
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
    long cut_off;                // the depth below which no tasks are made when cut-off=1 asks for it
    void (*prepare)(long size);  // once, before anything is timed; may compute what check() wants; may be null
    void (*reset)(void);         // before each pass, inside its time; may be null
    void (*run)(void);           // one thread's part of a pass, inside the region; makes the tasks
    void (*check)(void);         // after each pass, inside its time: cheap; ends the program when the result is wrong
    long (*tasks)(void);         // tasks of a pass without cut-off; null or 0: not known
};

// Set before prepare(): tasks are made by calls less deep than this, and deeper ones are the serial version's. 0: no tasks.
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
