// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What it costs to move a cache line between cores: the unit of the cost model (docs/cost-model.md). For each pair of
// CPUs, half a round trip of two threads that answer each other through one line; for all CPUs together, what each
// further one costs that has to see a word and answer it on a line of its own, and the time of one atomic addition to a
// line that everybody adds to; and the time of an addition to a line that nobody else touches. The transfers are those
// of the quickest sample, because a thread that is preempted says nothing about lines.
#define _GNU_SOURCE
#include "measure.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { most_cpus = 1024, line = 128, trips_a_pass = 100, adds_a_pass = 2000, short_samples = 1000 };

static struct {
    _Alignas(line) atomic_long word;
} answers[most_cpus];

static int answerers;

static struct {
    _Alignas(line) atomic_long turn;
    _Alignas(line) atomic_long sum;
    _Alignas(line) atomic_bool stop;
} shared;

static int cpu_numbers[most_cpus];

static int list_cpus(void) {
    cpu_set_t mask;
    int count = 0;
    if (sched_getaffinity(0, sizeof mask, &mask) != 0)
        return 0;
    for (int cpu = 0; cpu < CPU_SETSIZE && count < most_cpus; cpu++)
        if (CPU_ISSET(cpu, &mask))
            cpu_numbers[count++] = cpu;
    return count;
}

static void bind_to(int cpu) {
    cpu_set_t mask;
    CPU_ZERO(&mask);
    CPU_SET(cpu, &mask);
    if (pthread_setaffinity_np(pthread_self(), sizeof mask, &mask) != 0)
        wrong("no leave to run on CPU %d", cpu);
}

static void spin(void) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("isb");
#endif
}

// Odd turns are the answerer's.
static void* answer(void* cpu) {
    bind_to(*(int*)cpu);
    while (!atomic_load_explicit(&shared.stop, memory_order_relaxed)) {
        const long turn = atomic_load_explicit(&shared.turn, memory_order_acquire);
        if (turn % 2 != 0)
            atomic_store_explicit(&shared.turn, turn + 1, memory_order_release);
        else
            spin();
    }
    return NULL;
}

static void trips(void* context) {
    (void)context;
    for (int i = 0; i < trips_a_pass; i++) {
        const long turn = atomic_load_explicit(&shared.turn, memory_order_relaxed);
        atomic_store_explicit(&shared.turn, turn + 1, memory_order_release);
        while (atomic_load_explicit(&shared.turn, memory_order_acquire) == turn + 1)
            spin();
    }
}

// Sees each new turn and says so on a line of its own.
static void* acknowledge(void* cpu) {
    const long mine = (int*)cpu - cpu_numbers;
    bind_to(*(int*)cpu);
    long seen = 0;
    while (!atomic_load_explicit(&shared.stop, memory_order_relaxed)) {
        const long turn = atomic_load_explicit(&shared.turn, memory_order_acquire);
        if (turn != seen)
            atomic_store_explicit(&answers[mine].word, seen = turn, memory_order_release);
        else
            spin();
    }
    return NULL;
}

static void calls_to_all(void* context) {
    (void)context;
    for (int i = 0; i < trips_a_pass; i++) {
        const long turn = atomic_load_explicit(&shared.turn, memory_order_relaxed) + 1;
        atomic_store_explicit(&shared.turn, turn, memory_order_release);
        for (int cpu = 1; cpu <= answerers; cpu++)
            while (atomic_load_explicit(&answers[cpu].word, memory_order_acquire) != turn)
                spin();
    }
}

// Nanoseconds from a word to the last of `count` answers.
static double ask(int count, pthread_t* threads, const struct Budget* budget) {
    atomic_store(&shared.stop, false);
    atomic_store(&shared.turn, 0);
    for (answerers = 0; answerers < count; answerers++) {
        atomic_store(&answers[answerers + 1].word, 0);
        if (pthread_create(&threads[answerers], NULL, acknowledge, &cpu_numbers[answerers + 1]) != 0)
            break;
    }
    const struct Timing timing = measure(calls_to_all, NULL, budget);
    atomic_store(&shared.stop, true);
    for (int i = 0; i < answerers; i++)
        pthread_join(threads[i], NULL);
    return 1e3 * timing.min_us / trips_a_pass;
}

static void* add_too(void* cpu) {
    bind_to(*(int*)cpu);
    while (!atomic_load_explicit(&shared.stop, memory_order_relaxed))
        atomic_fetch_add_explicit(&shared.sum, 1, memory_order_relaxed);
    return NULL;
}

static void adds(void* context) {
    (void)context;
    for (int i = 0; i < adds_a_pass; i++)
        atomic_fetch_add_explicit(&shared.sum, 1, memory_order_relaxed);
}

static int by_value(const void* a, const void* b) {
    const double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

int main(int argc, char** argv) {
    struct Option options[] = {{"pairs", 64, "at most so many pairs of CPUs"}};
    const struct Budget budget = read_options(argc, argv, options, 1);
    const int cpus = list_cpus();
    int pairs = cpus - 1 < (int)options[0].value ? cpus - 1 : (int)options[0].value;
    const struct Budget each = {budget.warm_up_s / (pairs + 1), budget.measure_s / (pairs + 1), short_samples};
    bind_to(cpu_numbers[0]);

    // The first CPU with every other, evenly chosen if they are many.
    double* transfers = calloc((size_t)pairs + 1, sizeof *transfers);
    if (transfers == NULL)
        wrong("no memory for %d pairs", pairs);
    for (int i = 0; i < pairs; i++) {
        int* other = &cpu_numbers[1 + (long)i * (cpus - 1) / pairs];
        pthread_t thread;
        atomic_store(&shared.stop, false);
        atomic_store(&shared.turn, 0);
        if (pthread_create(&thread, NULL, answer, other) != 0)
            wrong("no second thread");
        const struct Timing timing = measure(trips, NULL, &each);
        atomic_store(&shared.stop, true);
        pthread_join(thread, NULL);
        transfers[i] = 1e3 * timing.min_us / trips_a_pass / 2;
        json_open("line");
        json_text("construct", "transfer");
        json_number("cpu", cpu_numbers[0]);
        json_number("other", *other);
        json_number("us", transfers[i] / 1e3);
        json_close();
    }
    qsort(transfers, (size_t)pairs, sizeof *transfers, by_value);

    const struct Timing alone = measure(adds, NULL, &each);
    pthread_t* threads = calloc((size_t)cpus, sizeof *threads);
    if (threads == NULL)
        wrong("no memory for %d threads", cpus);
    const double one = ask(cpus > 1 ? 1 : 0, threads, &each);
    const double all = cpus > 2 ? ask(cpus - 1, threads, &each) : one;

    atomic_store(&shared.stop, false);
    int others = 0;
    for (; others < cpus - 1; others++)
        if (pthread_create(&threads[others], NULL, add_too, &cpu_numbers[1 + others]) != 0)
            break;
    atomic_store(&shared.sum, 0);
    const double begin = now_s();
    measure(adds, NULL, &each);
    const double seconds = now_s() - begin;
    const double added = (double)atomic_load(&shared.sum);
    atomic_store(&shared.stop, true);
    for (int i = 0; i < others; i++)
        pthread_join(threads[i], NULL);

    json_open("line");
    json_text("construct", "summary");
    json_number("cpus", cpus);
    json_number("transfer_ns", pairs > 0 ? transfers[pairs / 2] : 0);
    json_number("nearest_ns", pairs > 0 ? transfers[0] : 0);
    json_number("farthest_ns", pairs > 0 ? transfers[pairs - 1] : 0);
    json_number("answer_of_one_ns", one);
    json_number("answer_of_another_ns", cpus > 2 ? (all - one) / (cpus - 2) : 0);
    json_number("own_addition_ns", 1e3 * alone.min_us / adds_a_pass);
    json_number("shared_addition_ns", others > 0 ? 1e9 * seconds / added : 0);
    json_number("us", 0);
    json_close();
    free(threads);
    free(transfers);
    return 0;
}
