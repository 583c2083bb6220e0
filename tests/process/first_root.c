// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A native thread that is bound to one CPU and blocks all signals opens the process's first region; or, "second", the first
// after the initial thread has asked for the number of processors. Prints that number and the size of a team, as the initial
// thread then sees them, the number of the runtime's workers, and of the CPUs of the one that has fewest; and how many of eight
// threads handle a signal that they raise.
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>

#include "usage.h"

static int handled;

static void handle(int number) { __atomic_add_fetch(&handled, number == SIGUSR1, __ATOMIC_RELAXED); }

static void* open_region(void* unused) {
    cpu_set_t own;
    sched_getaffinity(0, sizeof own, &own);
    int last = 0;
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
        if (CPU_ISSET(cpu, &own)) last = cpu;
    }
    CPU_ZERO(&own);
    CPU_SET(last, &own);
    if (sched_setaffinity(0, sizeof own, &own) != 0) exit(2);
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, NULL);
    pthread_setname_np(pthread_self(), "first");
#pragma omp parallel num_threads(3)
    {
#pragma omp barrier
    }
    return unused;
}

int main(int argc, char** argv) {
    pthread_t thread;
    signal(SIGUSR1, handle);
    if (argc > 1 && strcmp(argv[1], "second") == 0) omp_get_num_procs();
    if (pthread_create(&thread, NULL, open_region, NULL) != 0) return 2;
    pthread_join(thread, NULL);
    int team = 0, workers = 0, least = CPU_SETSIZE;
#pragma omp parallel
#pragma omp single
    team = omp_get_num_threads();
    DIR* tasks = opendir("/proc/self/task");
    for (struct dirent* entry; tasks && (entry = readdir(tasks));) {
        char path[300], name[32] = "";
        snprintf(path, sizeof path, "/proc/self/task/%s/comm", entry->d_name);
        FILE* file = fopen(path, "r");
        if (file && fgets(name, sizeof name, file) && strcmp(name, "gossamer\n") == 0) {
            cpu_set_t its;
            sched_getaffinity(atoi(entry->d_name), sizeof its, &its);
            workers++;
            if (CPU_COUNT(&its) < least) least = CPU_COUNT(&its);
        }
        if (file) fclose(file);
    }
    if (tasks) closedir(tasks);
#pragma omp parallel num_threads(8)
    {
        raise(SIGUSR1);
#pragma omp barrier
    }
    printf("%d %d %d %d %d\n", omp_get_num_procs(), team, workers, least, handled);
    return 0;
}
