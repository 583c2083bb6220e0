// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Native threads that start, open regions and end. Arguments: joined, detached, tiny (the smallest stack that the system
// allows), locks (each only comes for a lock, which is held for a while), handler (a region inside a signal handler), paused
// (omp_pause_resource_all after each), crowd (all are there at once, before the first ends) or events (each only has tasks, one
// of which ends by an event that another thread fulfils, and may end before that thread is through); the number of threads.
// Prints how many threads were right, and native threads and resident KiB after a tenth of them and at the end. The regions
// have tasks, whose memory their threads keep.
#include "usage.h"

#include <limits.h>
#include <omp.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int right;
static sem_t gone;
static omp_lock_t lock;

static int regions_work(void) {
    int flat = 0, nested = 0, tasks = 0;
#pragma omp parallel num_threads(4) reduction(+ : flat, nested)
    {
        flat++;
#pragma omp parallel num_threads(3) reduction(+ : nested)
        {
#pragma omp task shared(tasks) depend(inout : flat)
            __atomic_add_fetch(&tasks, 1, __ATOMIC_RELAXED);
#pragma omp barrier
            nested++;
        }
    }
    return flat == 4 && nested == 12 && tasks == 12;
}

static void* come(void* unused) {
    __atomic_add_fetch(&right, regions_work(), __ATOMIC_RELAXED);
    pthread_setname_np(pthread_self(), "gone");
    sem_post(&gone);
    return unused;
}

static void* come_for_lock(void* unused) {
    omp_set_lock(&lock);
    right++;
    omp_unset_lock(&lock);
    sem_post(&gone);
    return unused;
}

static pthread_barrier_t all_are_there;
static void* come_all_at_once(void* unused) {
    __atomic_add_fetch(&right, regions_work(), __ATOMIC_RELAXED);
    pthread_barrier_wait(&all_are_there);
    return unused;
}

static void crowd(int count, pthread_attr_t* attributes) {
    pthread_t* threads = calloc((size_t)count, sizeof *threads);
    pthread_barrier_init(&all_are_there, NULL, (unsigned)count);
    for (int i = 0; i < count; ++i) {
        if (pthread_create(&threads[i], attributes, come_all_at_once, NULL) != 0) exit(2);
    }
    for (int i = 0; i < count; ++i) pthread_join(threads[i], NULL);
    free(threads);
}

static omp_event_handle_t handed_over;
static pthread_barrier_t handed;
static void* fulfil(void* count) {
    for (int i = 0; i < *(int*)count; ++i) {
        pthread_barrier_wait(&handed);
        omp_fulfill_event(handed_over);
    }
    return NULL;
}

static void* come_with_tasks(void* unused) {
    omp_event_handle_t event;
    int first = 0, then = 0;
#pragma omp task detach(event) depend(out : first)
    {
        handed_over = event;
        pthread_barrier_wait(&handed);
    }
#pragma omp task shared(then) depend(in : first)
    then = 1;
#pragma omp taskwait
    __atomic_add_fetch(&right, then, __ATOMIC_RELAXED);
    sem_post(&gone);
    return unused;
}

static void handle(int number) { __atomic_add_fetch(&right, number == SIGUSR1 && regions_work(), __ATOMIC_RELAXED); }

int main(int argc, char** argv) {
    const char* how = argc > 1 ? argv[1] : "";
    int count = argc > 2 ? atoi(argv[2]) : 10, early_threads = 0;
    long early_kib = 0;
    pthread_attr_t attributes;
    sem_init(&gone, 0, 0);
    pthread_attr_init(&attributes);
    omp_init_lock(&lock);
    omp_set_max_active_levels(4);
    if (strcmp(how, "detached") == 0) pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    if (strcmp(how, "tiny") == 0) pthread_attr_setstacksize(&attributes, (size_t)sysconf(_SC_THREAD_STACK_MIN));
    signal(SIGUSR1, handle);
    if (strcmp(how, "crowd") == 0) crowd(count, &attributes);
    void* (*comer)(void*) = come;
    pthread_t fulfiller;
    if (strcmp(how, "events") == 0) {
        comer = come_with_tasks;
        pthread_barrier_init(&handed, NULL, 2);
        if (pthread_create(&fulfiller, &attributes, fulfil, &count) != 0) return 2;
        regions_work();  // there is a monitor
    }
    for (int i = 0; i < count && strcmp(how, "crowd") != 0; ++i) {
        pthread_t thread;
        if (strcmp(how, "locks") == 0) {
            omp_set_lock(&lock);
            if (pthread_create(&thread, &attributes, come_for_lock, NULL) != 0) return 2;
            usleep(20);
            omp_unset_lock(&lock);
            sem_wait(&gone);
            pthread_join(thread, NULL);
        } else if (strcmp(how, "handler") == 0) {
            raise(SIGUSR1);
        } else if (strcmp(how, "paused") == 0) {
            right += regions_work() && omp_pause_resource_all(i % 2 == 0 ? omp_pause_soft : omp_pause_hard) == 0;
            // The kernel wakes a thread's joiner before it removes the thread, so a joined thread may count for a moment.
            for (int wait_ms = 0; i % 2 == 1 && native_threads() != 1 && wait_ms < 1000; ++wait_ms) usleep(1000);
            if (i % 2 == 1 && native_threads() != 1) right = -count;
        } else {
            // A detached thread posts its end before it gives back its resources, a dozen native threads each. On a busy
            // machine more and more such threads would pile up.
            while (native_threads() > 50 && native_threads_named("gone") > 5) usleep(1000);
            if (pthread_create(&thread, &attributes, comer, NULL) != 0) return 2;
            sem_wait(&gone);
            if (strcmp(how, "detached") != 0) pthread_join(thread, NULL);
        }
        if (i == count / 10) {
            early_threads = native_threads();
            early_kib = resident_kib();
        }
    }
    usleep(20000);  // the last detached thread may still be ending
    printf("%d %d %d %ld %ld\n", right, early_threads, native_threads(), early_kib, resident_kib());
    return 0;
}
