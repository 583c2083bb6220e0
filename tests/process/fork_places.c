// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Forks at odd places. The child opens regions of its own. Argument: the place.
#define _GNU_SOURCE
#include <errno.h>
#include <omp.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

static int regions(void) {
    int sum = 0;
#pragma omp parallel num_threads(4) reduction(+ : sum)
    {
#pragma omp barrier
#pragma omp parallel num_threads(3) reduction(+ : sum)
        {
#pragma omp for schedule(dynamic)
            for (int i = 0; i < 6; ++i) sum += i;
#pragma omp atomic
            sum += 1;
        }
    }
    int tasks = 0;
#pragma omp parallel num_threads(3)
#pragma omp single
    for (int i = 0; i < 10; ++i) {
#pragma omp task shared(tasks)
        __atomic_add_fetch(&tasks, 1, __ATOMIC_RELAXED);
    }
    return sum == 4 * (15 + 3) && tasks == 10;
}

static int ended_well(pid_t pid) {
    int status = 0;
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR) return 0;
    return WIFEXITED(status) && WEXITSTATUS(status) == 7;
}

static int fork_with(int (*use)(void)) {
    const pid_t pid = fork();
    if (pid == 0) {
        alarm(100);
        _exit(use() ? 7 : 1);
    }
    return pid > 0 && ended_well(pid);
}

static int fork_here(void) { return fork_with(regions); }

static int threads_and_regions(void) { return regions() && regions(); }

static int generations_left;
static int fork_again(void) { return regions() && (--generations_left == 0 || fork_with(fork_again)) && regions(); }

static int many_regions(void) {
    for (int i = 0; i < 100; ++i)
        if (!regions()) return 0;
    return 1;
}

static int daemonize(void) {
    int ends[2], answer = 0;
    if (pipe(ends) != 0) return 0;
    if (fork() == 0) {
        setsid();
        if (fork() == 0) {
            alarm(100);
            answer = many_regions();
            _exit(write(ends[1], &answer, sizeof answer) != sizeof answer);
        }
        _exit(0);
    }
    close(ends[1]);
    wait(NULL);
    return read(ends[0], &answer, sizeof answer) == sizeof answer && answer == 1;
}

// Three deep, on one thread of the innermost team.
static int fork_in_nested(void) {
    int good = 0;
#pragma omp parallel num_threads(3) shared(good)
    {
        const int outer = omp_get_thread_num();
#pragma omp parallel num_threads(2) shared(good)
        {
            const int middle = omp_get_thread_num();
#pragma omp parallel num_threads(3) shared(good)
            {
#pragma omp barrier
                if (outer == 2 && middle == 1 && omp_get_thread_num() == 2) good = fork_here();
#pragma omp barrier
            }
        }
    }
    return good;
}

static int fork_in_sections(void) {
    int good = 0;
#pragma omp parallel num_threads(4) reduction(+ : good)
    {
#pragma omp critical(fork)
        good += fork_here();
#pragma omp barrier
#pragma omp single
        good += fork_here();
#pragma omp sections
        {
#pragma omp section
            good += fork_here();
#pragma omp section
            good += fork_here();
        }
#pragma omp for ordered schedule(static, 1)
        for (int i = 0; i < 8; ++i) {
#pragma omp ordered
            if (i % 3 == 1) good += fork_here();
        }
    }
    return good == 4 + 1 + 2 + 3;
}

static int fork_in_tasks(void) {
    int good = 0, others = 0;
#pragma omp parallel num_threads(4)
#pragma omp single
    {
#pragma omp taskgroup
        for (int i = 0; i < 12; ++i) {
#pragma omp task shared(good, others)
            {
#pragma omp task shared(others)
                {
                    usleep(500);
                    __atomic_add_fetch(&others, 1, __ATOMIC_RELAXED);
                }
                __atomic_add_fetch(&good, fork_here(), __ATOMIC_RELAXED);
            }
        }
        good += fork_here();
    }
    return good == 13 && others == 12;
}

static int stop;
static void* regions_again(void* result) {
    while (!__atomic_load_n(&stop, __ATOMIC_ACQUIRE)) *(int*)result = regions();
    return NULL;
}

static int fork_beside_regions(void) {
    pthread_t thread;
    int there = 0, good = 1;
    if (pthread_create(&thread, NULL, regions_again, &there) != 0) return 0;
    for (int i = 0; i < 10; ++i) good = good && fork_here();
    __atomic_store_n(&stop, 1, __ATOMIC_RELEASE);
    pthread_join(thread, NULL);
    return good && there;
}

// Other libraries' hooks run around ours, and may use OpenMP.
static int child_hook_good;
static void in_parent(void) { child_hook_good = regions(); }
static void in_child(void) { child_hook_good = regions(); }
static int hook_was_good(void) { return child_hook_good && regions(); }

static void on_signal(int signal) {
    (void)signal;
    const pid_t pid = fork();
    if (pid == 0) _exit(7);
    if (pid > 0 && !ended_well(pid)) _exit(3);
}

static int fork_in_handler(void) {
    int sum = 0;
    signal(SIGUSR1, on_signal);
    for (int round = 0; round < 50; ++round) {
#pragma omp parallel num_threads(4) reduction(+ : sum)
        {
            for (int i = 0; i < 20; ++i) {
                if (i == 10 && omp_get_thread_num() == round % 4) raise(SIGUSR1);
#pragma omp barrier
                sum += 1;
            }
        }
    }
    return sum == 50 * 4 * 20;
}

static int spawn(void) {
    char* const arguments[] = {"sh", "-c", "exit 7", NULL};
    pid_t pid;
    return posix_spawn(&pid, "/bin/sh", NULL, NULL, arguments, environ) == 0 && ended_well(pid);
}

static int fork_vfork(void) {
    const pid_t pid = vfork();
    if (pid == 0) {
        execl("/bin/sh", "sh", "-c", "exit 7", (char*)NULL);
        _exit(1);
    }
    return pid > 0 && ended_well(pid);
}

static int run_programs(void) {
    int good = 0;
#pragma omp parallel num_threads(4) reduction(+ : good)
    for (int i = 0; i < 5; ++i) {
        good += spawn() && fork_vfork() && WEXITSTATUS(system("exit 7")) == 7;
#pragma omp barrier
    }
    return good == 20;
}

static void* nothing(void* argument) { return argument; }

// The forking fiber ran on another thread's native thread, whose stack libc takes for free in the child: it goes back to the
// system when a further thread has ended there.
static int threads_come_and_go(void) {
    for (int i = 0; i < 4; ++i) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, nothing, NULL) != 0) return 0;
        pthread_join(thread, NULL);
        for (int j = 0; j < 20; ++j) usleep(100);
    }
    return sched_getcpu() >= 0;
}

static int fork_on_each(void) {
    int good = 0;
#pragma omp parallel num_threads(8) reduction(+ : good)
    {
#pragma omp barrier
        for (int i = 0; i < 8; ++i) {
            if (omp_get_thread_num() == i) good += fork_with(threads_come_and_go);
#pragma omp barrier
        }
    }
    return good == 8;
}

int main(int argc, char** argv) {
    const char* where = argc > 1 ? argv[1] : "";
    int good = 0;
    omp_set_max_active_levels(8);
    if (strcmp(where, "hooks") == 0) {
        pthread_atfork(NULL, in_parent, in_child);
        good = regions() && fork_with(hook_was_good) && child_hook_good && regions();
    } else if (strcmp(where, "nested") == 0) {
        good = fork_in_nested();
    } else if (strcmp(where, "constructs") == 0) {
        good = fork_in_sections();
    } else if (strcmp(where, "tasks") == 0) {
        good = fork_in_tasks();
    } else if (strcmp(where, "beside") == 0) {
        good = fork_beside_regions();
    } else if (strcmp(where, "handler") == 0) {
        good = fork_in_handler();
    } else if (strcmp(where, "programs") == 0) {
        good = run_programs();
    } else if (strcmp(where, "generations") == 0) {
        generations_left = 10;
        good = regions() && fork_with(fork_again);
    } else if (strcmp(where, "daemon") == 0) {
        good = regions() && daemonize();
    } else if (strcmp(where, "many") == 0) {
        good = regions() && fork_with(many_regions) && fork_with(threads_and_regions);
    } else if (strcmp(where, "each") == 0) {
        good = fork_on_each();
    } else {
        return 2;
    }
    good = good && regions();
    puts(good ? "good" : "bad");
    return !good;
}
