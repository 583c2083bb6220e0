// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// fork before, between and inside regions; the child opens regions of its own. Arguments: place of the fork, number of forks.
#include <errno.h>
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int regions_work(void) {
    int sum = 0, nested = 0;
    for (int i = 0; i < 3; ++i) {
#pragma omp parallel num_threads(6) reduction(+ : sum)
        {
#pragma omp barrier
            sum += 1;
        }
#pragma omp parallel num_threads(3) reduction(+ : nested)
        {
#pragma omp parallel num_threads(2) reduction(+ : nested)
            nested += 1;
        }
    }
    return sum == 18 && nested == 18;
}

static void* on_a_new_thread(void* result) {
    *(int*)result = regions_work();
    return NULL;
}

static int child(void) {
    pthread_t thread;
    int there = 0, here = regions_work();
    if (pthread_create(&thread, NULL, on_a_new_thread, &there) != 0) return 5;
    pthread_join(thread, NULL);
    return here && there ? 7 : 1;
}

static int wait_for(pid_t pid) {
    int status = 0;
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR) return 0;
    return WIFEXITED(status) && WEXITSTATUS(status) == 7;
}

static int fork_once(void) {
    pid_t pid = fork();
    if (pid == 0) _exit(child());
    return pid > 0 && wait_for(pid);
}

// The child runs one region and starts no thread.
static int fork_lightly(void) {
    pid_t pid = fork();
    if (pid == 0) {
        int count = 0;
#pragma omp parallel num_threads(3) reduction(+ : count)
        {
#pragma omp barrier
            count += 1;
        }
        _exit(count == 3 ? 7 : 1);
    }
    return pid > 0 && wait_for(pid);
}

int main(int argc, char** argv) {
    const char* where = argc > 1 ? argv[1] : "";
    int good = 0;
    omp_set_max_active_levels(4);
    if (strcmp(where, "before") == 0) {
        good = fork_once() && regions_work();
    } else if (strcmp(where, "between") == 0) {
        good = regions_work() && fork_once() && regions_work() && fork_once();
    } else if (strcmp(where, "inside-primary") == 0 || strcmp(where, "inside-other") == 0) {
        int who = strcmp(where, "inside-primary") == 0 ? 0 : 5, result = 0;
#pragma omp parallel num_threads(6)
        {
#pragma omp barrier
            if (omp_get_thread_num() == who) result = fork_once();
#pragma omp barrier
        }
        good = result && regions_work();
    } else if (strcmp(where, "exec") == 0) {
        good = regions_work();
        pid_t pid = fork();
        if (pid == 0) {
            execl("/bin/sh", "sh", "-c", "exit 7", (char*)NULL);
            _exit(1);
        }
        good = good && wait_for(pid) && regions_work();
    } else if (strcmp(where, "serial-loop") == 0) {
        good = regions_work();
        for (int left = argc > 2 ? atoi(argv[2]) : 100; good && left > 0; --left)
            good = fork_lightly() && (left % 10 != 0 || regions_work());
    } else if (strcmp(where, "inside-loop") == 0) {
        int wrong = 0, left = argc > 2 ? atoi(argv[2]) / 4 : 25;
#pragma omp parallel num_threads(4) reduction(+ : wrong)
        for (int i = 0; i < left; ++i) {
            wrong += !fork_lightly();
#pragma omp barrier
        }
        good = wrong == 0 && regions_work();
    } else {
        return 2;
    }
    printf("%s\n", good ? "good" : "bad");
    return !good;
}
