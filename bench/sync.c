// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Overheads of the synchronising constructs and of loop schedules, flat and nested, after the method of the
// EPCC OpenMP microbenchmarks (Bull, 1999): time many uses of a construct around a short delay and subtract
// what the delays alone would take if nothing but the construct's own rules stood in their way.
// With outer=N the same measurement runs in N threads at once, each with inner teams of `threads`.
#include "measure.h"

#include <omp.h>

enum { loop_iterations_a_thread = 1024 };

struct Task {
    void (*construct)(int threads, long uses);
    int outer;
    int threads;
    long uses;
};

static long delay_cycles;
static omp_lock_t shared_lock;

static void delay(void) {
    compute(delay_cycles);
}

static void use_parallel(int threads, long uses) {
    for (long i = 0; i < uses; i++) {
#pragma omp parallel num_threads(threads)
        delay();
    }
}

static void use_for(int threads, long uses) {
#pragma omp parallel num_threads(threads)
    for (long i = 0; i < uses; i++) {
#pragma omp for
        for (int j = 0; j < threads; j++)
            delay();
    }
}

static void use_barrier(int threads, long uses) {
#pragma omp parallel num_threads(threads)
    for (long i = 0; i < uses; i++) {
        delay();
#pragma omp barrier
    }
}

static void use_single(int threads, long uses) {
#pragma omp parallel num_threads(threads)
    for (long i = 0; i < uses; i++) {
#pragma omp single
        delay();
    }
}

static void use_critical(int threads, long uses) {
#pragma omp parallel num_threads(threads)
    for (long i = omp_get_thread_num(); i < uses; i += threads) {
#pragma omp critical
        delay();
    }
}

static void use_lock(int threads, long uses) {
#pragma omp parallel num_threads(threads)
    for (long i = omp_get_thread_num(); i < uses; i += threads) {
        omp_set_lock(&shared_lock);
        delay();
        omp_unset_lock(&shared_lock);
    }
}

// Each thread has a lock to itself: the price of taking one that is free.
static void use_own_lock(int threads, long uses) {
#pragma omp parallel num_threads(threads)
    {
        omp_lock_t own;
        omp_init_lock(&own);
        for (long i = 0; i < uses; i++) {
            omp_set_lock(&own);
            delay();
            omp_unset_lock(&own);
        }
        omp_destroy_lock(&own);
    }
}

static void use_ordered(int threads, long uses) {
#pragma omp parallel for ordered schedule(static, 1) num_threads(threads)
    for (long i = 0; i < uses; i++) {
#pragma omp ordered
        delay();
    }
}

static void use_reduction(int threads, long uses) {
    long sum = 0;
    for (long i = 0; i < uses; i++) {
#pragma omp parallel reduction(+ : sum) num_threads(threads)
        {
            delay();
            sum++;
        }
    }
    if (sum != uses * threads)
        wrong("a reduction added up to %ld instead of %ld", sum, uses * threads);
}

static void use_static(int threads, long uses) {
#pragma omp parallel num_threads(threads)
    for (long i = 0; i < uses; i++) {
#pragma omp for schedule(static)
        for (int j = 0; j < loop_iterations_a_thread * threads; j++)
            delay();
    }
}

static void use_static_1(int threads, long uses) {
#pragma omp parallel num_threads(threads)
    for (long i = 0; i < uses; i++) {
#pragma omp for schedule(static, 1)
        for (int j = 0; j < loop_iterations_a_thread * threads; j++)
            delay();
    }
}

static void use_dynamic_1(int threads, long uses) {
#pragma omp parallel num_threads(threads)
    for (long i = 0; i < uses; i++) {
#pragma omp for schedule(dynamic, 1)
        for (int j = 0; j < loop_iterations_a_thread * threads; j++)
            delay();
    }
}

static void use_guided_1(int threads, long uses) {
#pragma omp parallel num_threads(threads)
    for (long i = 0; i < uses; i++) {
#pragma omp for schedule(guided, 1)
        for (int j = 0; j < loop_iterations_a_thread * threads; j++)
            delay();
    }
}

static const struct Construct {
    const char* name;
    void (*use)(int threads, long uses);
    int delays_a_use; // on the longest path through one use
} constructs[] = {
    {"parallel", use_parallel, 1},
    {"for", use_for, 1},
    {"barrier", use_barrier, 1},
    {"single", use_single, 1},
    {"critical", use_critical, 1},
    {"lock", use_lock, 1},
    {"own lock", use_own_lock, 1},
    {"ordered", use_ordered, 1},
    {"reduction", use_reduction, 1},
    {"static", use_static, loop_iterations_a_thread},
    {"static,1", use_static_1, loop_iterations_a_thread},
    {"dynamic,1", use_dynamic_1, loop_iterations_a_thread},
    {"guided,1", use_guided_1, loop_iterations_a_thread},
};

static void pass(void* context) {
    const struct Task task = *(const struct Task*)context;
    if (task.outer <= 1) {
        task.construct(task.threads, task.uses);
        return;
    }
#pragma omp parallel num_threads(task.outer)
    task.construct(task.threads, task.uses);
}

static void delays_alone(void* context) {
    const long count = *(const long*)context;
    for (long i = 0; i < count; i++)
        delay();
}

// The surrounding region is paid once a pass: enough uses that its share of each becomes small.
static long enough_uses(struct Task task, double seconds) {
    for (task.uses = 4; task.uses < 1L << 20; task.uses *= 2) {
        const double begin = now_s();
        pass(&task);
        if (now_s() - begin > seconds)
            break;
    }
    return task.uses;
}

int main(int argc, char** argv) {
    struct Option options[] = {
        {"threads", 2, "threads of each team"},
        {"outer", 1, "threads that measure at once, each with such a team"},
        {"delay", 256, "cycles of work in each use"},
        {"loops", 1, "0: leave the loop schedules out"},
    };
    const struct Budget budget = read_options(argc, argv, options, 4);
    const int threads = (int)options[0].value;
    const int outer = (int)options[1].value;
    delay_cycles = (long)options[2].value;
    omp_init_lock(&shared_lock);

    long many = 1000;
    const struct Timing alone = measure(delays_alone, &many, &budget);
    const double delay_us = alone.median_us / (double)many;

    for (unsigned i = 0; i < sizeof constructs / sizeof constructs[0]; i++) {
        const struct Construct* construct = &constructs[i];
        if (construct->delays_a_use > 1 && options[3].value == 0)
            continue;
        struct Task task = {construct->use, outer, threads, 0};
        task.uses = enough_uses(task, budget.measure_s / (4 * budget.samples));
        struct Timing timing = measure(pass, &task, &budget);

        const double reference = delay_us * construct->delays_a_use;
        const double uses = (double)task.uses;
        timing.median_us = timing.median_us / uses - reference;
        timing.first_quartile_us = timing.first_quartile_us / uses - reference;
        timing.third_quartile_us = timing.third_quartile_us / uses - reference;
        timing.min_us = timing.min_us / uses - reference;

        json_open("sync");
        json_text("construct", construct->name);
        json_number("threads", threads);
        json_number("outer", outer);
        json_number("uses_a_pass", uses);
        json_number("reference_us", reference);
        json_timing(&timing);
        json_close();
    }
    omp_destroy_lock(&shared_lock);
    return 0;
}
