// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A native thread whose cancellation is pending opens regions, among them perhaps the first of the process: none of its own
// code is a cancellation point until they are over. Prints how many threads its regions had in all, and those of the initial
// thread's region behind that. asked: the initial thread has called a routine before.
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int threads, of_cancelled;
static int cancelled;

static int count_threads(void) {
    int count = 0;
#pragma omp parallel num_threads(threads) reduction(+ : count)
    count++;
    return count;
}

static void* main_of_cancelled(void* unused) {
    (void)unused;
    while (!__atomic_load_n(&cancelled, __ATOMIC_ACQUIRE)) {}
    for (int region = 0; region < 3; ++region) of_cancelled += count_threads();
    for (;;) pthread_testcancel();
}

int main(int argc, char** argv) {
    if (argc != 3) return 2;
    threads = atoi(argv[1]);
    if (strcmp(argv[2], "asked") == 0 && omp_get_max_threads() < 1) return 3;
    pthread_t other;
    if (pthread_create(&other, NULL, main_of_cancelled, NULL) != 0) return 4;
    pthread_cancel(other);
    __atomic_store_n(&cancelled, 1, __ATOMIC_RELEASE);
    pthread_join(other, NULL);
    printf("%d %d\n", of_cancelled, count_threads());
    return 0;
}
