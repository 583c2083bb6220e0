// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Great numbers of tasks at once, for time and memory. One thread produces tasks (with priorities or without)
// and all other threads consume them; or threads outside the team fulfil the first event when all tasks are
// detached. One pass only.
#include "../measure.h"

#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

// The kernel's high-water mark. getrusage() would include the process's memory before exec.
static double peak_mib(void) {
    char line[256];
    long kib = 0;
    FILE* status = fopen("/proc/self/status", "r");
    while (status != NULL && fgets(line, sizeof line, status) != NULL)
        if (sscanf(line, "VmHWM: %ld", &kib) == 1) break;
    if (status != NULL) fclose(status);
    return (double)kib / 1024;
}

static long tasks;
static int threads;
static bool prioritised;

// Each thread has a counter, since a shared one would be the longest part of a task.
static struct {
    _Alignas(64) long count;
} done[1024];

static void produce(void) {
#pragma omp parallel num_threads(threads)
    {
#pragma omp single
        for (long i = 0; i < tasks; i++) {
            if (prioritised) {
#pragma omp task firstprivate(i) priority((int)(i % 8))
                done[omp_get_thread_num()].count++;
            } else {
#pragma omp task
                done[omp_get_thread_num()].count++;
            }
        }
    }
    long sum = 0;
    for (int i = 0; i < threads; i++) sum += done[i].count;
    if (sum != tasks) wrong("%ld of %ld tasks were run", sum, tasks);
}

enum { outsiders = 2 };

static omp_event_handle_t* events;
static atomic_long detached;
static atomic_long completed;
static atomic_bool stop;

static void* fulfil(void* argument) {
    const long first = (long)(intptr_t)argument;
    while (atomic_load(&detached) < tasks && !atomic_load(&stop)) sched_yield();
    for (long i = first; i < tasks; i += outsiders) omp_fulfill_event(events[i]);
    return NULL;
}

static double detach(void) {
    pthread_t outside[outsiders];
    double before = peak_mib();
    events = malloc((size_t)tasks * sizeof *events);
    if (events == NULL) wrong("no memory for %ld events", tasks);
    for (long i = 0; i < outsiders; i++)
        if (pthread_create(&outside[i], NULL, fulfil, (void*)(intptr_t)i) != 0) wrong("no thread outside");
#pragma omp parallel num_threads(threads)
    {
#pragma omp single
        {
            for (long i = 0; i < tasks; i++) {
                omp_event_handle_t event;
#pragma omp task detach(event) firstprivate(i)
                {
                    events[i] = event;
                    atomic_fetch_add(&detached, 1);
                }
            }
#pragma omp taskwait
            atomic_store(&completed, atomic_load(&detached));
        }
    }
    for (int i = 0; i < outsiders; i++) pthread_join(outside[i], NULL);
    if (atomic_load(&completed) != tasks) wrong("%ld of %ld tasks were completed", atomic_load(&completed), tasks);
    free(events);
    return before;
}

int main(int argc, char** argv) {
    struct Option options[] = {
        {"threads", 8, "threads of the team"},
        {"tasks", 1000000, "tasks"},
        {"priorities", 0, "1: tasks of eight priorities"},
        {"detached", 0, "1: tasks that end when threads outside say so"},
    };
    read_options(argc, argv, options, 4);
    threads = (int)options[0].value;
    tasks = (long)options[1].value;
    prioritised = options[2].value != 0;
    const bool detaching = options[3].value != 0;
    if (threads > 1024) wrong("more than 1024 threads");

#pragma omp parallel num_threads(threads)
    empty(0, 0);
    double before = peak_mib();
    const double begin = now_s();
    if (detaching)
        before = detach();
    else
        produce();
    const double seconds = now_s() - begin;

    json_open(detaching ? "detached" : "producer");
    json_number("threads", threads);
    json_number("tasks", (double)tasks);
    json_number("us", 1e6 * seconds);
    json_number("ns_a_task", 1e9 * seconds / (double)tasks);
    json_number("peak_mib", peak_mib());
    json_number("mib_more", peak_mib() - before);
    json_close();
    return 0;
}
