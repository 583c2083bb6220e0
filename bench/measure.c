// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#define _GNU_SOURCE
#include "measure.h"

#include <dlfcn.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdalign.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

// The CPUs on which this process may run, read at the start, since some runtimes bind the thread that starts them.
static cpu_set_t processors;

double now_s(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void usage(const char* program, const struct Option* options, int count) {
    fprintf(stderr, "usage: %s [name=value ...]\n", program);
    for (int i = 0; i < count; i++) fprintf(stderr, "  %-10s %s (%g)\n", options[i].name, options[i].help, options[i].value);
    exit(2);
}

static bool read_option(const char* argument, struct Option* options, int count) {
    const char* equals = strchr(argument, '=');
    if (equals == NULL || equals[1] == '\0') return false;
    for (int i = 0; i < count; i++) {
        const size_t length = strlen(options[i].name);
        if ((size_t)(equals - argument) != length || strncmp(argument, options[i].name, length) != 0) continue;
        char* end;
        const double value = strtod(equals + 1, &end);
        if (*end != '\0' || !isfinite(value) || value < 0) return false;
        options[i].value = value;
        return true;
    }
    return false;
}

struct Budget read_options(int argc, char** argv, struct Option* options, int count) {
    struct Option common[] = {
        {"warm-up", 0.1, "seconds before the first sample"},
        {"seconds", 0.5, "seconds of samples"},
        {"samples", 21, "samples"},
    };
    for (int i = 1; i < argc; i++) {
        if (!read_option(argv[i], options, count) && !read_option(argv[i], common, 3)) {
            fprintf(stderr, "%s: cannot use '%s'\n", argv[0], argv[i]);
            usage(argv[0], options, count);
        }
    }
    struct Budget budget = {common[0].value, common[1].value, (int)common[2].value};
    if (budget.samples < 1) budget.samples = 1;
    if (sched_getaffinity(0, sizeof processors, &processors) != 0) CPU_SET(0, &processors);
    return budget;
}

double cpu_s(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

static double timed(void (*pass)(void*), void* context, long passes) {
    const double begin = now_s();
    for (long i = 0; i < passes; i++) pass(context);
    return now_s() - begin;
}

// Seconds for each pass. Stops after `limit` seconds, if the runtime has become much slower than before.
static double sample(void (*pass)(void*), void* context, long passes, double limit) {
    const long chunk = passes / 64 + 1;
    const double begin = now_s();
    long done = 0;
    double elapsed = 0;
    while (done < passes && elapsed < limit) {
        const long count = chunk < passes - done ? chunk : passes - done;
        for (long i = 0; i < count; i++) pass(context);
        done += count;
        elapsed = now_s() - begin;
    }
    return elapsed / (double)done;
}

static int ascending(const void* a, const void* b) {
    const double x = *(const double*)a;
    const double y = *(const double*)b;
    return (x > y) - (x < y);
}

// The interpolated quantile of a sorted array.
static double quantile(const double* sorted, int count, double fraction) {
    const double position = fraction * (count - 1);
    const int below = (int)position;
    const int above = below + 1 < count ? below + 1 : below;
    return sorted[below] + (position - below) * (sorted[above] - sorted[below]);
}

double median_of(double* values, int count) {
    qsort(values, (size_t)count, sizeof values[0], ascending);
    return quantile(values, count, 0.5);
}

struct Timing timing_of(double* us, int count, long passes_a_sample) {
    qsort(us, (size_t)count, sizeof us[0], ascending);
    return (struct Timing){
        .median_us = quantile(us, count, 0.5),
        .first_quartile_us = quantile(us, count, 0.25),
        .third_quartile_us = quantile(us, count, 0.75),
        .min_us = us[0],
        .samples = count,
        .passes_a_sample = passes_a_sample,
    };
}

// Warms up in doubling chunks. Returns the seconds of a pass in the last chunk, the best guess for all further passes.
static double warm_up(void (*pass)(void*), void* context, double seconds) {
    double spent = 0;
    for (long chunk = 1;; chunk *= 2) {
        const double elapsed = timed(pass, context, chunk);
        spent += elapsed;
        if (spent + 2 * elapsed > seconds) return elapsed / (double)chunk;
    }
}

// The number of samples that fit the budget; `passes` becomes the number of passes in each.
static int plan_samples(double a_pass, const struct Budget* budget, long* passes) {
    int samples = budget->samples < most_samples ? budget->samples : most_samples;
    if (a_pass * samples > budget->measure_s) {
        samples = (int)(budget->measure_s / a_pass);
        if (samples < 1) samples = 1;
    }
    *passes = (long)(budget->measure_s / samples / a_pass);
    if (*passes < 1) *passes = 1;
    return samples;
}

struct Timing measure(void (*pass)(void*), void* context, const struct Budget* budget) {
    long passes;
    const int samples = plan_samples(warm_up(pass, context, budget->warm_up_s), budget, &passes);

    // A runtime that slows down after its warm-up must not stretch the run without end.
    double us[most_samples];
    int taken = 0;
    const double deadline = now_s() + 4 * budget->measure_s;
    while (taken < samples && (taken == 0 || now_s() < deadline))
        us[taken++] = 1e6 * sample(pass, context, passes, budget->measure_s);
    return timing_of(us, taken, passes);
}

int cores(void) { return CPU_COUNT(&processors); }

static void bind_to(pthread_t thread, int processor) {
    cpu_set_t mask;
    CPU_ZERO(&mask);
    CPU_SET(processor, &mask);
    pthread_setaffinity_np(thread, sizeof mask, &mask);
}

static int next_processor(int after) {
    for (int cpu = after + 1; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, &processors)) return cpu;
    return -1;
}

enum { apart = 128 };  // bytes between what different cores write

// Work for all cores: each does all of it over and over, or its part of each pass.
struct Together {
    Work work;
    void* context;
    int parts;
    alignas(apart) atomic_long begun;  // the passes that were begun; negative: the threads end
};

struct Companion {
    alignas(apart) atomic_long done;  // the last pass of which this thread has done its part
    int part;
    struct Together* together;
    pthread_t thread;
};

static struct Companion companions[CPU_SETSIZE];

static inline void look_again(void) {
#if defined(__x86_64__)
    __asm__ volatile("pause");
#elif defined(__aarch64__)
    __asm__ volatile("isb");
#endif
}

static void* run_beside(void* argument) {
    struct Together* all = ((struct Companion*)argument)->together;
    while (atomic_load_explicit(&all->begun, memory_order_relaxed) >= 0)  // the join orders all later accesses
        all->work(all->context, 0, 1);
    return NULL;
}

static void* run_parts(void* argument) {
    struct Companion* me = argument;
    struct Together* all = me->together;
    for (long done = 0;;) {
        long begun;
        while ((begun = atomic_load_explicit(&all->begun, memory_order_acquire)) == done) look_again();
        if (begun < 0) return NULL;
        all->work(all->context, me->part, all->parts);
        done = begun;
        atomic_store_explicit(&me->done, done, memory_order_release);
    }
}

// Binds the caller to the first processor and starts a thread on each other one: the kernel may take long to part two threads
// that share one. Returns how many threads run.
static int occupy_cores(struct Together* all, void* (*run)(void*)) {
    int count = 0;
    const int first = next_processor(-1);
    bind_to(pthread_self(), first);
    for (int cpu = next_processor(first); cpu >= 0; cpu = next_processor(cpu)) {
        struct Companion* companion = &companions[count];
        companion->together = all;
        companion->part = count + 1;
        atomic_store_explicit(&companion->done, 0, memory_order_relaxed);
        if (pthread_create(&companion->thread, NULL, run, companion) != 0) break;
        bind_to(companion->thread, cpu);
        count++;
    }
    return count;
}

static void run_alone(void* context) {
    struct Together* all = context;
    all->work(all->context, 0, 1);
}

// A pass by hand: the other threads are told by one line, and each answers by one.
static void run_by_hand(void* context) {
    struct Together* all = context;
    const long pass = atomic_load_explicit(&all->begun, memory_order_relaxed) + 1;
    atomic_store_explicit(&all->begun, pass, memory_order_release);
    all->work(all->context, 0, all->parts);
    for (int i = 0; i < all->parts - 1; i++)
        while (atomic_load_explicit(&companions[i].done, memory_order_acquire) != pass) look_again();
}

static struct Timing on_all_cores(Work work, void* context, const struct Budget* budget, bool by_hand) {
    static struct Together all;
    all.work = work;
    all.context = context;
    all.parts = cores();
    atomic_store(&all.begun, 0);
    cpu_set_t before;
    const bool bound = pthread_getaffinity_np(pthread_self(), sizeof before, &before) == 0;
    const int count = occupy_cores(&all, by_hand ? run_parts : run_beside);
    if (by_hand && count + 1 != all.parts) wrong("only %d of %d threads could be started", count + 1, all.parts);
    const struct Timing timing = measure(by_hand ? run_by_hand : run_alone, &all, budget);
    atomic_store(&all.begun, -1);
    for (int i = 0; i < count; i++) pthread_join(companions[i].thread, NULL);
    if (bound) pthread_setaffinity_np(pthread_self(), sizeof before, &before);
    return timing;
}

struct Timing measure_on_all_cores(Work work, void* context, const struct Budget* budget) {
    return on_all_cores(work, context, budget, false);
}

struct Timing measure_beside_work(void (*pass)(void*), Work work, void* context, const struct Budget* budget,
                                  struct Bounds* bounds) {
    // Fewer samples, not shorter ones: a sample must contain its share of the time that the host takes away.
    const struct Budget brief = {budget->warm_up_s / 8, budget->measure_s / 4, (budget->samples + 3) / 4};
    const double before = on_all_cores(work, context, &brief, false).median_us;
    bounds->by_hand_us = on_all_cores(work, context, &brief, true).median_us;
    const struct Timing timing = measure(pass, context, budget);
    const double after = on_all_cores(work, context, &brief, false).median_us;
    bounds->alone_us = (before + after) / 2;
    return timing;
}

struct Pairs measure_in_turn(void (*pass)(void*), void* context, void (*reference)(void*), const struct Budget* budget) {
    const struct Budget brief = {budget->warm_up_s / 4, budget->measure_s / 4, budget->samples};
    long reference_passes;
    plan_samples(warm_up(reference, NULL, brief.warm_up_s), &brief, &reference_passes);

    struct Pairs pairs = {0};
    const int samples = plan_samples(warm_up(pass, context, budget->warm_up_s), budget, &pairs.passes_a_sample);
    const double deadline = now_s() + 5 * budget->measure_s;
    while (pairs.count < samples && (pairs.count == 0 || now_s() < deadline)) {
        pairs.reference_us[pairs.count] = 1e6 * sample(reference, NULL, reference_passes, budget->measure_s);
        timed(pass, context, pairs.passes_a_sample / 8 + 1);  // the runtime's threads may have gone to sleep meanwhile
        pairs.us[pairs.count++] = 1e6 * sample(pass, context, pairs.passes_a_sample, budget->measure_s);
    }
    return pairs;
}

// One step of the chain: on current x86-64 and AArch64 cores a 64-bit multiplication takes 3 cycles and an addition 1.
enum { cycles_a_step = 4, steps_a_block = 16 };

static inline unsigned long step(unsigned long x) {
    x = x * 6364136223846793005 + 1;  // no compiler can turn this factor into shifts
    __asm__ volatile("" : "+r"(x));
    return x;
}

// A core looks hundreds of instructions ahead, so without this wait it would run the chains of two calls at once. (A chain
// that continues in memory from call to call does not help: forwarding from store to load takes 5 cycles more or less,
// depending on the core's other work.)
static inline void wait_for_all_before(void) {
#if defined(__x86_64__)
    __asm__ volatile("lfence" ::: "memory");
#elif defined(__aarch64__)
    __asm__ volatile("isb" ::: "memory");
#endif
}

__attribute__((noinline)) void compute(long cycles) {
    unsigned long x = 1;
    wait_for_all_before();
    long steps = cycles / cycles_a_step;
    for (; steps >= steps_a_block; steps -= steps_a_block) {
#pragma GCC unroll 16
        for (int i = 0; i < steps_a_block; i++) x = step(x);
    }
    for (; steps > 0; steps--) x = step(x);
}

__attribute__((noinline)) void empty(int i, int j) { __asm__ volatile("" : : "r"(i), "r"(j) : "memory"); }

void wrong(const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fputs("wrong: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    exit(1);
}

// The file whose code starts this program's regions: the preloaded runtime, if any, not the linked one.
static const char* serving_file(void) {
#if defined(__clang__)
    void* entry = dlsym(RTLD_DEFAULT, "__kmpc_fork_call");
#else
    void* entry = dlsym(RTLD_DEFAULT, "GOMP_parallel");
#endif
    Dl_info info;
    return entry != NULL && dladdr(entry, &info) != 0 ? info.dli_fname : "none";
}

void json_open(const char* benchmark) {
    printf("{\"benchmark\": \"%s\"", benchmark);
    json_text("served_by", serving_file());
}

void json_number(const char* key, double value) { printf(", \"%s\": %.9g", key, value); }

void json_text(const char* key, const char* value) {
    printf(", \"%s\": \"", key);
    for (; *value != '\0'; value++) {
        if (*value == '"' || *value == '\\') putchar('\\');
        putchar(*value);
    }
    putchar('"');
}

void json_timing(const struct Timing* timing) {
    json_number("us", timing->median_us);
    json_number("us_first_quartile", timing->first_quartile_us);
    json_number("us_third_quartile", timing->third_quartile_us);
    json_number("us_min", timing->min_us);
    json_number("samples", timing->samples);
    json_number("passes_a_sample", (double)timing->passes_a_sample);
}

void json_close(void) {
    puts("}");
    fflush(stdout);
}
