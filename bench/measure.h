// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What every benchmark program shares: options, a timed loop that ends by itself, one JSON line a result.
#pragma once

#include <stdbool.h>

// One `name=value` argument of a program; `value` holds the default until read_options has run.
struct Option {
    const char* name;
    double value;
    const char* help;
};

// How long a measurement may take. A pass longer than the budget is measured once and no more, so every
// program ends, however slow the runtime under it.
struct Budget {
    double warm_up_s;
    double measure_s;
    int samples;
};

// All times are microseconds a pass; the quartiles are taken over samples of `passes_a_sample` passes each.
struct Timing {
    double median_us;
    double first_quartile_us;
    double third_quartile_us;
    double min_us;
    int samples;
    long passes_a_sample;
};

// Reads `name=value` arguments into `options` and the budget's own (warm-up, seconds, samples) into the
// result. An unknown name or a bad number ends the program with status 2 and the list of options.
struct Budget read_options(int argc, char** argv, struct Option* options, int count);

// Runs `pass(context)` over and over within the budget.
struct Timing measure(void (*pass)(void* context), void* context, const struct Budget* budget);

// The same while every other core runs `pass(context)` too, on plain native threads: what a pass costs one core of a
// machine that is busy all over, which may clock lower or share its execution units.
struct Timing measure_on_all_cores(void (*pass)(void* context), void* context, const struct Budget* budget);

// `measure`, with what the work alone takes: `work(context)` is measured on all cores before and after, and `work_us` becomes
// the mean of both.
struct Timing measure_beside_work(void (*pass)(void* context), void (*work)(void* context), void* context,
                                  const struct Budget* budget, double* work_us);

enum { most_samples = 256 };

// Samples of a pass, and of a reference right before each: what drifts, like the clock rate of a core, or what the host
// leaves to this machine, falls on both.
struct Pairs {
    int count;
    long passes_a_sample;
    double us[most_samples];
    double reference_us[most_samples];
};

// Runs `pass(context)` as `measure` does, and the reference in turn with it, for a quarter of that time besides.
struct Pairs measure_in_turn(void (*pass)(void* context), void* context, void (*reference)(void* null),
                             const struct Budget* budget);

// The medians, and what else belongs to a result, of `count` values, which are sorted for it.
double median_of(double* values, int count);
struct Timing timing_of(double* us, int count, long passes_a_sample);

double now_s(void);

// CPUs that this process may run on.
int cores(void);

// Busy work of about `cycles` core cycles: a chain of multiplications and additions, each of which waits
// for the one before it. It counts work and not time, so a preempted thread still has all of it to do. It begins when all
// before it has been executed. Multiples of 64 cycles take the same time from wherever they are called: a core may or may not
// foresee the end of a loop of many steps, which makes some 15 cycles.
void compute(long cycles);

// A call the compiler can neither inline nor drop.
void empty(int i, int j);

// Ends the program with status 1: the runtime did not execute what the region says.
_Noreturn void wrong(const char* format, ...) __attribute__((format(printf, 1, 2)));

// One result, one line on stdout. json_open also writes which file serves OpenMP in this process.
void json_open(const char* benchmark);
void json_number(const char* key, double value);
void json_text(const char* key, const char* value);
void json_timing(const struct Timing* timing);
void json_close(void);
