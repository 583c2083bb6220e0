// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ends of a process, with what the program still has to say in a stream's buffer. Argument: the way. Exit status 3 where it is
// exit's.
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <exception>
#include <stdexcept>

static int regions() {
    int sum = 0;
#pragma omp parallel num_threads(6) reduction(+ : sum)
    {
#pragma omp barrier
#pragma omp parallel num_threads(2) reduction(+ : sum)
        sum += 1;
    }
    return sum;
}

struct Last {
    bool active = false;
    ~Last() {
        if (active) printf("destructor %d\n", regions());
    }
};
static Last last;

static void at_exit() { printf("handler %d\n", regions()); }

[[noreturn]] static void exit_from_task() {
#pragma omp parallel num_threads(4)
#pragma omp single
    for (int i = 0; i < 20; ++i) {
#pragma omp task
        if (i == 11) {
            printf("task\n");
            exit(3);
        }
    }
    abort();
}

static void* exit_too(void* barrier) {
    pthread_barrier_wait(static_cast<pthread_barrier_t*>(barrier));
    exit(3);
}

int main(int argc, char** argv) {
    const char* how = argc > 1 ? argv[1] : "";
    omp_set_max_active_levels(3);
    printf("begin\n");
    if (strcmp(how, "handlers") == 0) {
        last.active = true;
        atexit(at_exit);
        regions();
        return 3;
    }
    if (strcmp(how, "only-handlers") == 0) {  // the first regions are there
        last.active = true;
        atexit(at_exit);
        return 3;
    }
    if (strcmp(how, "handlers-inside") == 0) {
        atexit(at_exit);
#pragma omp parallel num_threads(4)
        {
#pragma omp barrier
            if (omp_get_thread_num() == 2) exit(3);
#pragma omp barrier
        }
    }
    if (strcmp(how, "spinning") == 0) {
        static int never = 0;
#pragma omp parallel num_threads(5)
        {
            if (omp_get_thread_num() == 4) exit(3);
            while (__atomic_load_n(&never, __ATOMIC_RELAXED) == 0) {}
        }
    }
    if (strcmp(how, "task") == 0) exit_from_task();
    if (strcmp(how, "exec") == 0) {
        fflush(stdout);
#pragma omp parallel num_threads(4)
        {
#pragma omp barrier
            if (omp_get_thread_num() == 3) execl("/bin/sh", "sh", "-c", "echo program; exit 3", nullptr);
            for (;;) {
#pragma omp barrier
            }
        }
    }
    if (strcmp(how, "main-throws") == 0) {
        regions();
        throw std::runtime_error("out of main");
    }
    if (strcmp(how, "terminate") == 0) {
#pragma omp parallel num_threads(4)
        {
#pragma omp barrier
            if (omp_get_thread_num() == 1) std::terminate();
#pragma omp barrier
        }
    }
    if (strcmp(how, "race") == 0) {
        pthread_barrier_t barrier;
        pthread_t thread;
        regions();
        pthread_barrier_init(&barrier, nullptr, 2);
        pthread_create(&thread, nullptr, exit_too, &barrier);
        pthread_barrier_wait(&barrier);
        exit(3);
    }
    if (strcmp(how, "race-inside") == 0) {
#pragma omp parallel num_threads(6)
        {
#pragma omp barrier
            if (omp_get_thread_num() % 2 == 1) exit(3);
#pragma omp barrier
        }
    }
    return 2;
}
