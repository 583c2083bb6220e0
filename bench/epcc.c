// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "epcc.h"

struct Task {
    const struct Construct* construct;
    int outer;
    int threads;
    long uses;
};

enum { most_own_options = 8, delays_a_reference = 1000 };

static long delay_cycles;

// Not inlined, so that the reference and every construct call it in the same way.
__attribute__((noinline)) void delay(void) { compute(delay_cycles); }

struct EpccOptions read_epcc_options(int argc, char** argv, long delay_if_not_given, struct Option* own, int count) {
    struct Option options[3 + most_own_options] = {
        {"threads", 2, "threads of each team"},
        {"outer", 1, "threads that measure at once, each with such a team"},
        {"delay", (double)delay_if_not_given, "cycles of work in each use"},
    };
    for (int i = 0; i < count; i++) options[3 + i] = own[i];
    struct EpccOptions read;
    read.budget = read_options(argc, argv, options, 3 + count);
    read.threads = (int)options[0].value;
    read.outer = options[1].value < 1 ? 1 : (int)options[1].value;
    delay_cycles = (long)options[2].value;
    for (int i = 0; i < count; i++) own[i] = options[3 + i];
    return read;
}

static void pass(void* context) {
    const struct Task task = *(const struct Task*)context;
    const struct Construct construct = *task.construct;
    if (task.outer <= 1) {
        construct.use(task.threads, construct.parameter, task.uses);
        return;
    }
#pragma omp parallel num_threads(task.outer)
    construct.use(task.threads, construct.parameter, task.uses);
}

static void delays_alone(void* context) {
    (void)context;
    for (int i = 0; i < delays_a_reference; i++) delay();
}

// A pass pays for its surrounding region once, so this chooses enough uses to make the region's share of each small. It
// takes the fastest of a few tries, because a preempted try says nothing about the construct.
static long enough_uses(struct Task task, double seconds) {
    enum { tries = 3, most_uses = 1 << 20 };
    for (task.uses = 1; task.uses < most_uses; task.uses *= 2) {
        bool long_enough = true;
        for (int i = 0; i < tries && long_enough; i++) {
            const double begin = now_s();
            pass(&task);
            long_enough = now_s() - begin > seconds;
        }
        if (long_enough) break;
    }
    return task.uses;
}

static double delays_on_the_path(const struct Construct* construct, int outer, int threads) {
    const double each = construct->delays_each;
    double path = each, work = each * outer;
    switch (construct->delays) {
        case delays_none: return 0;
        case delays_one: break;
        case delays_turns: path = work; break;
        case delays_all: work *= threads; break;
    }
    return path > work / cores() ? path : work / cores();
}

void measure_construct(const char* benchmark, const struct Construct* construct, const struct EpccOptions* options) {
    const double path = delays_on_the_path(construct, options->outer, options->threads) / delays_a_reference;

    struct Task task = {construct, options->outer, options->threads, 0};
    task.uses = enough_uses(task, options->budget.measure_s / (2 * options->budget.samples));
    struct Pairs pairs = measure_in_turn(pass, &task, delays_alone, &options->budget);

    const double uses = (double)task.uses;
    for (int i = 0; i < pairs.count; i++) {
        pairs.reference_us[i] *= path;
        pairs.us[i] = pairs.us[i] / uses - pairs.reference_us[i];
    }
    const struct Timing timing = timing_of(pairs.us, pairs.count, pairs.passes_a_sample);
    const double reference = median_of(pairs.reference_us, pairs.count);

    json_open(benchmark);
    json_text("construct", construct->name);
    json_number("threads", options->threads);
    json_number("outer", options->outer);
    json_number("uses_a_pass", uses);
    json_number("reference_us", reference);
    json_timing(&timing);
    json_close();
}
