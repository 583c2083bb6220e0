// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What programs do with signals inside regions: a profiler's timer whose handler walks the stack, an alternate stack for each
// thread, a file of signals, a timer for each thread, jumps out of a handler between two waits.
// test: flags -D_GNU_SOURCE -pthread
// test: reps 3
// test: gossamer-env GOSSAMER_ONE_TO_ONE=true
// ThreadSanitizer keeps a signal until the thread's next call of libc, and sees no jump out of a handler:
// test: races own-timers escapes
#include <errno.h>
#include <execinfo.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "check.h"

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

static atomic_int ticks, shallow;

static void on_tick(int number) {
    (void)number;
    const int saved = errno;
    void* frames[64];
    if (backtrace(frames, 64) < 1) atomic_fetch_add(&shallow, 1);
    atomic_fetch_add(&ticks, 1);
    errno = saved;
}

static void profiled(int width) {
    atomic_int rounds = 0;
    const struct itimerval each = {{0, 1000}, {0, 1000}}, none = {{0, 0}, {0, 0}};
    const int before = atomic_load(&ticks);
    if (omp_get_level() == 0) setitimer(ITIMER_PROF, &each, NULL);
#pragma omp parallel num_threads(width)
    for (int round = 0; round < 50; ++round) {
        volatile double sum = 0;
        for (int i = 0; i < 2000; ++i) sum += i;
#pragma omp barrier
#pragma omp single nowait
        atomic_fetch_add(&rounds, 1);
#pragma omp task
        for (int i = 0; i < 1000; ++i) sum += i;
#pragma omp taskwait
    }
    if (omp_get_level() == 0) {
        while (atomic_load(&ticks) == before) {}
        setitimer(ITIMER_PROF, &none, NULL);
    }
    EXPECT_EQ(atomic_load(&rounds), 50);
    EXPECT_EQ(atomic_load(&shallow), 0);
}

static __thread volatile uintptr_t handler_frame;
static __thread volatile sig_atomic_t count;

static void on_signal(int number) {
    char here;
    (void)number;
    handler_frame = (uintptr_t)&here;
    ++count;
}

static void alternate_stacks(int width) {
#pragma omp parallel num_threads(width)
    {
        const size_t size = 64 << 10;
        char* const memory = malloc(size);
        const stack_t mine = {.ss_sp = memory, .ss_size = size};
        stack_t before;
        EXPECT_EQ(sigaltstack(&mine, &before), 0);
        for (int round = 0; round < 3; ++round) {
            handler_frame = 0;
            EXPECT_EQ(pthread_kill(pthread_self(), SIGUSR1), 0);
            EXPECT(handler_frame - (uintptr_t)memory < size);
#pragma omp barrier
        }
        EXPECT_EQ(sigaltstack(&before, NULL), 0);
        free(memory);
    }
}

static void signal_file(int width) {
#pragma omp parallel num_threads(width)
    {
        sigset_t one, before;
        sigemptyset(&one);
        sigaddset(&one, SIGUSR2);
        EXPECT_EQ(pthread_sigmask(SIG_BLOCK, &one, &before), 0);
        const int file = signalfd(-1, &one, SFD_CLOEXEC);
        EXPECT(file >= 0);
        EXPECT_EQ(pthread_kill(pthread_self(), SIGUSR2), 0);
#pragma omp barrier
        struct signalfd_siginfo info;
        EXPECT_EQ(read(file, &info, sizeof info), sizeof info);
        EXPECT_EQ(info.ssi_signo, SIGUSR2);
        close(file);
        EXPECT_EQ(pthread_sigmask(SIG_SETMASK, &before, NULL), 0);
#pragma omp barrier
    }
}

static void own_timers(int width) {
#pragma omp parallel num_threads(width)
    {
        count = 0;
        struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGUSR1};
        event.sigev_notify_thread_id = (pid_t)syscall(SYS_gettid);
        timer_t timer;
        EXPECT_EQ(timer_create(CLOCK_MONOTONIC, &event, &timer), 0);
#pragma omp barrier
        const struct itimerspec soon = {.it_value = {0, 1000000}};
        EXPECT_EQ(timer_settime(timer, 0, &soon, NULL), 0);
        while (count == 0) {}
        EXPECT_EQ(timer_delete(timer), 0);
#pragma omp barrier
        EXPECT_EQ(count, 1);
    }
}

static __thread sigjmp_buf escape;

static void on_escape(int number) {
    (void)number;
    siglongjmp(escape, 1);
}


// One thread after another is thrown out of a system call that would never end.
static void escapes(int width) {
    pthread_t threads[64];
    atomic_int ready = 0, out = 0;
#pragma omp parallel num_threads(width)
    {
        const int num = omp_get_thread_num();
        threads[num] = pthread_self();
        if (num == 0) {
            while (atomic_load(&ready) < width - 1) sched_yield();
            for (int i = 1; i < width; ++i) EXPECT_EQ(pthread_kill(threads[i], SIGALRM), 0);
        } else {
            sigset_t one, before;
            sigemptyset(&one);
            sigaddset(&one, SIGALRM);
            pthread_sigmask(SIG_BLOCK, &one, &before);
            if (sigsetjmp(escape, 1) == 0) {
                atomic_fetch_add(&ready, 1);
                sigset_t none = before;
                sigdelset(&none, SIGALRM);
                for (;;) sigsuspend(&none);
            }
            pthread_sigmask(SIG_SETMASK, &before, NULL);
            atomic_fetch_add(&out, 1);
        }
#pragma omp barrier
        EXPECT_EQ(atomic_load(&out), width - 1);
    }
}

int main(void) {
    void* frame;
    backtrace(&frame, 1);  // loads what it needs
    struct sigaction tick = {.sa_handler = on_tick, .sa_flags = SA_RESTART}, own = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK},
                     leave = {.sa_handler = on_escape};
    sigaction(SIGPROF, &tick, NULL);
    sigaction(SIGUSR1, &own, NULL);
    sigaction(SIGALRM, &leave, NULL);
    check("profiled", profiled);
    check("alternate-stacks", alternate_stacks);
    check("signal-file", signal_file);
    check("own-timers", own_timers);
    check("escapes", escapes);
    return check_done();
}
