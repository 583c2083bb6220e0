// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A native thread that has not used OpenMP forks. In the child another thread opens a region, and ends before ("first") or
// after ("last") the child's own initial thread, which ends by pthread_exit without having used OpenMP. Then the child has to
// end.
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int is_first;

static void region(void) {
#pragma omp parallel num_threads(4)
    {
#pragma omp barrier
    }
}

static void* use(void* unused) {
    if (!is_first) usleep(50000);
    region();
    return unused;
}

static void* fork_child(void* unused) {
    const pid_t child = fork();
    if (child == 0) {
        pthread_t thread;
        alarm(20);
        if (pthread_create(&thread, NULL, use, NULL) != 0) _exit(2);
        if (is_first) pthread_join(thread, NULL);
        pthread_exit(NULL);
    }
    int status = -1;
    waitpid(child, &status, 0);
    puts(status == 0 ? "good" : "bad");
    return unused;
}

int main(int argc, char** argv) {
    pthread_t thread;
    is_first = argc > 1 && strcmp(argv[1], "first") == 0;
    if (argc > 2) region();
    if (pthread_create(&thread, NULL, fork_child, NULL) != 0) return 2;
    pthread_join(thread, NULL);
    return 0;
}
