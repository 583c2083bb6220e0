// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ways to end a process while OpenMP threads live. Arguments: the way, and the place: before any region, serial (after
// regions), in a region on its primary or another thread, in a nested region, or while another native thread is in a region; or
// while (or after) another native thread has regions, and the initial one has none.
#include <omp.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char* how = "";
static volatile int* nowhere;

static void end(void) {
    if (strcmp(how, "exit") == 0) exit(3);
    if (strcmp(how, "_exit") == 0) _exit(3);
    if (strcmp(how, "quick_exit") == 0) quick_exit(3);
    if (strcmp(how, "pthread_exit") == 0) pthread_exit(NULL);
    if (strcmp(how, "abort") == 0) abort();
    if (strcmp(how, "fault") == 0) *nowhere = 1;
    if (strcmp(how, "terminate") == 0) kill(getpid(), SIGTERM);
    if (strcmp(how, "raise") == 0) raise(SIGUSR1);
    for (;;) pause();
}

static void* busy_root(void* started) {
#pragma omp parallel num_threads(4)
    {
        if (omp_get_thread_num() == 3) __atomic_store_n((int*)started, 1, __ATOMIC_RELEASE);
        for (;;) {
#pragma omp barrier
        }
    }
    return NULL;
}

static void* finish_later(void* unused) {
    usleep(20000);
#pragma omp parallel num_threads(3)
    {
#pragma omp barrier
    }
    printf("worker\n");
    return unused;
}

static void at_exit(void) { printf("handler\n"); }

static void some_regions(void) {
    for (int i = 0; i < 20; ++i) {
#pragma omp parallel num_threads(1 + i % 7)
        {
#pragma omp barrier
        }
    }
}

int main(int argc, char** argv) {
    const char* where = argc > 2 ? argv[2] : "";
    how = argc > 1 ? argv[1] : "";
    atexit(at_exit);
    if (strncmp(where, "outsider", 8) == 0) {  // this thread never calls the runtime
        pthread_t thread;
        if (pthread_create(&thread, NULL, finish_later, NULL) != 0) return 2;
        strcmp(where, "outsider-last") == 0 ? pthread_join(thread, NULL) : pthread_detach(thread);
        end();
    }
    omp_set_max_active_levels(4);
    if (strcmp(where, "before") == 0) {
        end();
    } else if (strcmp(where, "serial") == 0) {
        some_regions();
        end();
    } else if (strcmp(where, "primary") == 0 || strcmp(where, "other") == 0) {
        int who = strcmp(where, "primary") == 0 ? 0 : 4;
#pragma omp parallel num_threads(6)
        {
            if (omp_get_thread_num() == who) end();
#pragma omp barrier
        }
    } else if (strcmp(where, "nested") == 0) {
#pragma omp parallel num_threads(3)
        {
#pragma omp parallel num_threads(3)
            {
#pragma omp barrier
                if (omp_get_ancestor_thread_num(1) == 2 && omp_get_thread_num() == 2) end();
#pragma omp barrier
            }
        }
    } else if (strcmp(where, "beside") == 0) {
        pthread_t thread;
        int started = 0;
        if (pthread_create(&thread, NULL, busy_root, &started) != 0) return 2;
        while (!__atomic_load_n(&started, __ATOMIC_ACQUIRE)) usleep(100);
        end();
    } else if (strcmp(where, "worker-left") == 0) {
        pthread_t thread;
        some_regions();
        if (pthread_create(&thread, NULL, finish_later, NULL) != 0) return 2;
        pthread_detach(thread);
        end();
    }
    return 2;
}
