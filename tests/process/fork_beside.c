// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One thread forks again and again while others use a construct, and each child uses it too: at the fork a lock of the
// runtime's may be held by a thread that the child has not. Arguments: the construct, the number of forks.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int stop, started, forks;
#define NEXT(variable) __atomic_add_fetch(&(variable), 1, __ATOMIC_RELAXED)
#define READ(variable) __atomic_load_n(&(variable), __ATOMIC_ACQUIRE)
#define SET(variable, value) __atomic_store_n(&(variable), value, __ATOMIC_RELEASE)

static void await(int* variable, int value) {
    while (READ(*variable) < value) usleep(100);
}

// Whether a child that calls use() ends well and soon.
static int fork_once(int (*use)(void)) {
    int status = 0;
    const pid_t pid = fork();
    if (pid == 0) {
        alarm(100);
        _exit(use() ? 7 : 1);
    }
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR) {}
    return pid > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 7;
}

static int fork_often(int (*use)(void)) {
    int good = 1;
    for (int i = 0; i < forks && good; ++i) good = fork_once(use);
    return good;
}

static void* function(const char* name) {
    void* found = dlsym(RTLD_DEFAULT, name);
    if (found == NULL) exit(2);
    return found;
}

static int fork_beside(void* (*work)(void*), int (*use)(void)) {
    pthread_t threads[2];
    for (int i = 0; i < 2; ++i)
        if (pthread_create(&threads[i], NULL, work, NULL) != 0) return 0;
    await(&started, 2);
    const int good = fork_often(use);
    SET(stop, 1);
    for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
    return good;
}

// Atomic updates of variables that no instruction can update.
static long double sums[256];
static void (*add)(void*, int, long double*, long double);

static void* update_sums(void* unused) {
    NEXT(started);
    while (!READ(stop))
        for (int i = 0; i < 256; ++i) add(NULL, 0, &sums[i], 1);
    return unused;
}

static int use_sums(void) {
    for (int i = 0; i < 256; ++i) add(NULL, 0, &sums[i], 1);
    return 1;
}

// Atomic sections of old compilers.
static void (*begin)(void);
static void (*end)(void);

static void* update_in_sections(void* unused) {
    NEXT(started);
    while (!READ(stop)) {
        begin();
        usleep(50);
        end();
    }
    return unused;
}

static int use_sections(void) {
    begin();
    end();
    return 1;
}

// Reductions that take their time to combine.
struct triple {
    long a, b, c;
};
static void combine(struct triple* into, const struct triple* from) {
    for (volatile int i = 0; i < 20000; ++i) {}
    into->a += from->a;
    into->b += from->b;
    into->c += from->c;
}
#pragma omp declare reduction(sum : struct triple : combine(&omp_out, &omp_in)) initializer(omp_priv = {0, 0, 0})

static int reduce(void) {
    struct triple all = {0, 0, 0};
    int x = 0, y = 0;  // for three variables one lock is cheaper than three atomic updates
#pragma omp parallel num_threads(3) reduction(sum : all) reduction(+ : x, y)
    all.a += 1, all.b += 2, all.c += 3, x += 4, y += 5;
    return all.a == 3 && all.b == 6 && all.c == 9 && x == 12 && y == 15;
}

static void* reduce_again(void* unused) {
    NEXT(started);
    while (!READ(stop)) reduce();
    return unused;
}

// Before main's thread forks, another is stopped in the middle of a message: standard error is a pipe that nobody empties.
static void fill_standard_error(void) {
    int ends[2];
    char page[4096] = {0};
    if (pipe(ends) != 0) exit(2);
    fcntl(ends[1], F_SETFL, O_NONBLOCK);
    while (write(ends[1], page, sizeof page) > 0) {}
    while (write(ends[1], page, 1) > 0) {}
    fcntl(ends[1], F_SETFL, 0);
    dup2(ends[1], 2);
}

static int open_standard_error(void) { return dup2(open("/dev/null", O_WRONLY), 2) == 2; }

static void* first_use(void* unused) {
    SET(started, 1);
    omp_get_max_threads();
    return unused;
}

static int use_environment(void) { return open_standard_error() && omp_get_max_threads() == 3 && reduce(); }

static void* first_places(void* unused) {
    SET(started, 1);
    omp_get_num_places();
    return unused;
}

static int use_places(void) { return open_standard_error() && omp_get_num_places() >= 1; }

static int fork_beside_a_message(void* (*work)(void*), int (*use)(void)) {
    pthread_t thread;
    fill_standard_error();
    if (pthread_create(&thread, NULL, work, NULL) != 0) return 0;
    await(&started, 1);
    usleep(200000);  // by then it waits in the message; if not, the test shows nothing
    return fork_once(use);
}

// In a region, tasks of which the child has begun none: its own, in a group of their own.
static volatile long work;
static int lines[64];

static int use_tasks(void) {
    int done = 0;
#pragma omp taskgroup
    for (int i = 0; i < 40; ++i) {
#pragma omp task shared(done) priority(i % 3)
        NEXT(done);
    }
    int last = 0;
#pragma omp task shared(last) depend(out : last) if (0)
    last = 1;
    return done == 40 && last == 1;
}

static int fork_among_tasks(void) {
    int good = 1;
#pragma omp parallel num_threads(4)
    if (omp_get_thread_num() == 0) {
        for (int i = 0; i < forks && good; ++i) {
            for (int j = 0; j < 64; ++j) {
#pragma omp task depend(inout : lines[j % 8]) priority(j % 3)
                work = work + lines[j % 8];
#pragma omp task
                work = work + 1;
            }
            good = fork_once(use_tasks);
        }
        SET(stop, 1);
    } else {
        while (!READ(stop)) {
            for (int j = 0; j < 64; ++j) {
#pragma omp task priority(1)
                work = work + 1;
            }
#pragma omp taskwait
        }
    }
    return good;
}

// The child goes on through worksharing constructs that its siblings had not reached.
static int go_on(void) {
    int sum = 0;
    for (int round = 0; round < 40; ++round) {
#pragma omp sections nowait
        {
#pragma omp section
            sum += 1;
#pragma omp section
            sum += 1;
        }
#pragma omp for schedule(dynamic) nowait
        for (int i = 0; i < 10; ++i) sum += 1;
    }
#pragma omp barrier
    return sum == 480;
}

static int fork_ahead(void) {
    int good = 1, forked = 0;
    for (int constructs = 0; constructs < 8 && good; ++constructs) {
        SET(forked, 0);
#pragma omp parallel num_threads(4)
        {
            int sum = 0;
            if (omp_get_thread_num() != 0) await(&forked, 1);
            for (int round = 0; round < constructs; ++round) {
#pragma omp for schedule(dynamic) nowait
                for (int i = 0; i < 10; ++i) NEXT(sum);
            }
            if (omp_get_thread_num() == 0) {
                good = fork_once(go_on);
                SET(forked, 1);
            }
        }
    }
    return good;
}

int main(int argc, char** argv) {
    const char* how = argc > 1 ? argv[1] : "";
    int good;
    forks = argc > 2 ? atoi(argv[2]) : 100;
    if (strcmp(how, "environment") == 0) {
        setenv("OMP_NUM_THREADS", "3", 1);
        setenv("OMP_SCHEDULE", "sideways", 1);
        good = fork_beside_a_message(first_use, use_environment);
        _exit(!good);
    }
    if (strcmp(how, "places") == 0) {
        setenv("OMP_PLACES", "{0},{8000}", 1);
        omp_get_max_threads();
        good = fork_beside_a_message(first_places, use_places);
        _exit(!good);
    }
    if (strcmp(how, "atomics") == 0) {
        add = (void (*)(void*, int, long double*, long double))function("__kmpc_atomic_float10_add");
        good = fork_beside(update_sums, use_sums);
    } else if (strcmp(how, "sections") == 0) {
        begin = (void (*)(void))function("GOMP_atomic_start");
        end = (void (*)(void))function("GOMP_atomic_end");
        good = fork_beside(update_in_sections, use_sections);
    } else if (strcmp(how, "reductions") == 0) {
        good = fork_beside(reduce_again, reduce);
    } else if (strcmp(how, "tasks") == 0) {
        good = fork_among_tasks();
    } else if (strcmp(how, "ahead") == 0) {
        good = fork_ahead();
    } else {
        return 2;
    }
    puts(good ? "good" : "bad");
    return !good;
}
