// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The common code of all benchmark programs: options, a timed loop that ends by itself, one JSON line for each result.
#pragma once

#include <stdbool.h>

// One `name=value` argument of a program; `value` holds the default until read_options has run.
struct Option {
    const char* name;
    double value;
    const char* help;
};

// The time of a measurement. A pass that is longer than the budget is measured only once, so every program
// ends, however slow its runtime.
struct Budget {
    double warm_up_s;
    double measure_s;
    int samples;
};

// All times are microseconds for one pass. The quartiles are those of samples of `passes_a_sample` passes each.
struct Timing {
    double median_us;
    double first_quartile_us;
    double third_quartile_us;
    double min_us;
    int samples;
    long passes_a_sample;
};

// Reads `name=value` arguments into `options`, and the budget's arguments (warm-up, seconds, samples) into the
// result. An unknown name or a bad number ends the program with status 2 and the list of options.
struct Budget read_options(int argc, char** argv, struct Option* options, int count);

// Runs `pass(context)` over and over within the budget.
struct Timing measure(void (*pass)(void* context), void* context, const struct Budget* budget);

// Part `part` of `parts` equal parts of some work; 0 of 1 is all of it.
typedef void (*Work)(void* context, int part, int parts);

// Like `measure` for all of the work on one core, while every other core does the same on plain native threads, each bound to a
// core of its own. A core of a fully busy machine may clock lower or share its execution units.
struct Timing measure_on_all_cores(Work work, void* context, const struct Budget* budget);

// What bounds the time of work that a runtime spreads over all cores.
struct Bounds {
    double alone_us;    // by measure_on_all_cores
    double by_hand_us;  // its parts on all cores, by bound native threads written for just that: they look at one line until it
                        // says that a pass begins, and write one line each when their part is done
};

// Like `measure`, but also measures the bounds: the first of them before and after.
struct Timing measure_beside_work(void (*pass)(void* context), Work work, void* context, const struct Budget* budget,
                                  struct Bounds* bounds);

enum { most_samples = 256 };

// Samples of a pass, and of a reference right before each: a drift, of a core's clock rate or of the host's load, affects
// both.
struct Pairs {
    int count;
    long passes_a_sample;
    double us[most_samples];
    double reference_us[most_samples];
};

// Runs `pass(context)` as `measure` does, and in turn with it the reference, for a quarter of that time more.
struct Pairs measure_in_turn(void (*pass)(void* context), void* context, void (*reference)(void* null),
                             const struct Budget* budget);

// The median, and the whole result, of `count` values, which these functions sort.
double median_of(double* values, int count);
struct Timing timing_of(double* us, int count, long passes_a_sample);

double now_s(void);

// The CPU time that the process has taken, in seconds.
double cpu_s(void);

// The number of CPUs on which this process may run.
int cores(void);

// Busy work of about `cycles` core cycles: a chain of multiplications and additions, each of which waits for the last one.
// It counts work and not time, so a preempted thread still has to do all of it. It begins when all earlier instructions have
// been executed. Multiples of 64 cycles take the same time in every place; otherwise a loop of many steps may take some 15
// cycles more, if the core does not predict its end.
void compute(long cycles);

// A call that the compiler can neither inline nor drop.
void empty(int i, int j);

// Ends the program with status 1, because the runtime did not execute the region correctly.
_Noreturn void wrong(const char* format, ...) __attribute__((format(printf, 1, 2)));

// Each result is one line on stdout. json_open also writes the file that serves OpenMP in this process.
void json_open(const char* benchmark);
void json_number(const char* key, double value);
void json_text(const char* key, const char* value);
void json_timing(const struct Timing* timing);
void json_close(void);
