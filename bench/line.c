// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The cost of moving a cache line between cores, the unit of the cost model (docs/cost-model.md). One thread writes a word,
// other threads see it, and each answers on a line of its own, as threads of a region do. The program reports half of such
// a round trip for each pair of CPUs; for all CPUs together, the cost of each further answering CPU, and the time of one
// atomic addition to a line to which all CPUs add; and the time of an addition to a line that no other CPU touches. All
// times but the shared additions are those of the quickest sample, because a preempted thread says nothing about lines.
// With look=1 the program takes some milliseconds, and reports only the present cost of a transfer between the first two CPUs.
#define _GNU_SOURCE
#include "measure.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { most_cpus = 1024, line = 128, trips_a_pass = 100, adds_a_pass = 2000, short_samples = most_samples };

static struct {
    _Alignas(line) atomic_long turn;
    _Alignas(line) atomic_long sum;
    _Alignas(line) atomic_bool stop;
} shared;

static struct Answerer {
    _Alignas(line) atomic_long seen;
    _Alignas(line) int cpu;
    pthread_t thread;
} answerers[most_cpus];

static int answering;
static int cpu_numbers[most_cpus];

static int list_cpus(void) {
    cpu_set_t mask;
    int count = 0;
    if (sched_getaffinity(0, sizeof mask, &mask) != 0) return 0;
    for (int cpu = 0; cpu < CPU_SETSIZE && count < most_cpus; cpu++)
        if (CPU_ISSET(cpu, &mask)) cpu_numbers[count++] = cpu;
    return count;
}

static void bind_to(int cpu) {
    cpu_set_t mask;
    CPU_ZERO(&mask);
    CPU_SET(cpu, &mask);
    if (pthread_setaffinity_np(pthread_self(), sizeof mask, &mask) != 0) wrong("no leave to run on CPU %d", cpu);
}

static void spin(void) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("isb");
#endif
}

static void* answer(void* argument) {
    struct Answerer* me = argument;
    bind_to(me->cpu);
    long seen = 0;
    while (!atomic_load_explicit(&shared.stop, memory_order_relaxed)) {
        const long turn = atomic_load_explicit(&shared.turn, memory_order_acquire);
        if (turn == seen)
            spin();
        else
            atomic_store_explicit(&me->seen, seen = turn, memory_order_release);
    }
    return NULL;
}

static void trips(void* context) {
    (void)context;
    for (int i = 0; i < trips_a_pass; i++) {
        const long turn = atomic_load_explicit(&shared.turn, memory_order_relaxed) + 1;
        atomic_store_explicit(&shared.turn, turn, memory_order_release);
        for (int other = 0; other < answering; other++)
            while (atomic_load_explicit(&answerers[other].seen, memory_order_acquire) != turn) spin();
    }
}

// Nanoseconds from the write of a word to the last answer of `count` CPUs.
static double ask(const int* cpus, int count, const struct Budget* budget) {
    atomic_store(&shared.stop, false);
    atomic_store(&shared.turn, 0);
    for (answering = 0; answering < count; answering++) {
        struct Answerer* one = &answerers[answering];
        atomic_store(&one->seen, 0);
        one->cpu = cpus[answering];
        if (pthread_create(&one->thread, NULL, answer, one) != 0) wrong("no thread number %d", answering + 1);
    }
    const struct Timing timing = measure(trips, NULL, budget);
    atomic_store(&shared.stop, true);
    for (int i = 0; i < answering; i++) pthread_join(answerers[i].thread, NULL);
    return 1e3 * timing.min_us / trips_a_pass;
}

static void* add_too(void* argument) {
    bind_to(((struct Answerer*)argument)->cpu);
    while (!atomic_load_explicit(&shared.stop, memory_order_relaxed))
        atomic_fetch_add_explicit(&shared.sum, 1, memory_order_relaxed);
    return NULL;
}

static void adds(void* context) {
    (void)context;
    for (int i = 0; i < adds_a_pass; i++) atomic_fetch_add_explicit(&shared.sum, 1, memory_order_relaxed);
}

// Nanoseconds from one addition to the next, by any CPU, while all CPUs add.
static double additions_of_all(int cpus, const struct Budget* budget) {
    atomic_store(&shared.stop, false);
    for (int i = 0; i < cpus - 1; i++) {
        answerers[i].cpu = cpu_numbers[i + 1];
        if (pthread_create(&answerers[i].thread, NULL, add_too, &answerers[i]) != 0) wrong("no thread number %d", i + 1);
    }
    atomic_store(&shared.sum, 0);
    const double begin = now_s();
    measure(adds, NULL, budget);
    const double seconds = now_s() - begin;
    const double added = (double)atomic_load(&shared.sum);
    atomic_store(&shared.stop, true);
    for (int i = 0; i < cpus - 1; i++) pthread_join(answerers[i].thread, NULL);
    return 1e9 * seconds / added;
}

static int look(int cpus) {
    const struct Budget short_one = {0.0002, 0.001, 50};
    bind_to(cpu_numbers[0]);
    json_open("line");
    json_text("construct", "look");
    json_number("us", cpus > 1 ? ask(cpu_numbers + 1, 1, &short_one) / 2e3 : 0);
    json_close();
    return 0;
}

static int by_value(const void* a, const void* b) {
    const double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

int main(int argc, char** argv) {
    struct Option options[] = {
        {"pairs", 64, "at most so many pairs of CPUs"},
        {"look", 0, "1: one pair, in a few milliseconds"},
    };
    const struct Budget budget = read_options(argc, argv, options, 2);
    const int cpus = list_cpus();
    if (options[1].value != 0) return look(cpus);
    const int pairs = cpus - 1 < (int)options[0].value ? cpus - 1 : (int)options[0].value;
    const struct Budget each = {budget.warm_up_s / (pairs + 3), budget.measure_s / (pairs + 3), short_samples};
    bind_to(cpu_numbers[0]);

    // Pairs of the first CPU and each other CPU, or an even choice of many.
    double* transfers = calloc((size_t)pairs + 1, sizeof *transfers);
    if (transfers == NULL) wrong("no memory for %d pairs", pairs);
    for (int i = 0; i < pairs; i++) {
        const int* other = &cpu_numbers[1 + (long)i * (cpus - 1) / pairs];
        transfers[i] = ask(other, 1, &each) / 2;
        json_open("line");
        json_text("construct", "transfer");
        json_number("cpu", cpu_numbers[0]);
        json_number("other", *other);
        json_number("us", transfers[i] / 1e3);
        json_close();
    }
    qsort(transfers, (size_t)pairs, sizeof *transfers, by_value);
    const double median = pairs > 0 ? transfers[pairs / 2] : 0;
    const double all = cpus > 2 ? ask(cpu_numbers + 1, cpus - 1, &each) : 0;
    const struct Timing alone = measure(adds, NULL, &each);

    json_open("line");
    json_text("construct", "summary");
    json_number("cpus", cpus);
    json_number("transfer_ns", median);
    json_number("nearest_ns", pairs > 0 ? transfers[0] : 0);
    json_number("farthest_ns", pairs > 0 ? transfers[pairs - 1] : 0);
    json_number("answer_of_another_ns", cpus > 2 ? (all - 2 * median) / (cpus - 2) : 0);
    json_number("own_addition_ns", 1e3 * alone.min_us / adds_a_pass);
    json_number("shared_addition_ns", cpus > 1 ? additions_of_all(cpus, &each) : 0);
    json_number("us", 0);
    json_close();
    free(transfers);
    return 0;
}
