// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Signals: raise, pthread_kill and pthread_sigqueue to the caller run the handler at once on the thread's own stack; a handler
// sees the thread's variables; sigsetjmp across them; inside a region no signal is blocked.
// test: teams 1 2 8 16 4x8
// test: flags -D_GNU_SOURCE -pthread
// Every thread sets the process's one fault handler; and ThreadSanitizer delivers late what pthread_sigqueue sends:
// test: races fault queued
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <unistd.h>
#include "check.h"

static __thread volatile sig_atomic_t delivered;
static __thread volatile uintptr_t handler_frame;
static __thread sigjmp_buf escape;

static void on_signal(int number) {
    char here;
    delivered = number;
    handler_frame = (uintptr_t)&here;
}

static void on_escape(int number) {
    (void)number;
    siglongjmp(escape, 1);
}

static void raised(int width) {
#pragma omp parallel num_threads(width)
    for (int round = 0; round < 3; ++round) {
        char here;
        delivered = 0;
        EXPECT_EQ(raise(SIGUSR1), 0);
        EXPECT_EQ(delivered, SIGUSR1);
        uintptr_t distance =
            (uintptr_t)&here > handler_frame ? (uintptr_t)&here - handler_frame : handler_frame - (uintptr_t)&here;
        EXPECT(distance < 200000);
#pragma omp barrier
        EXPECT_EQ(delivered, SIGUSR1);
#pragma omp barrier
    }
}

static __thread volatile sig_atomic_t value_received;

static void on_value(int number, siginfo_t* info, void* context) {
    (void)number, (void)context;
    value_received = info->si_code == SI_QUEUE && info->si_pid == getpid() ? info->si_value.sival_int : -1;
}

static void queued(int width) {
#pragma omp parallel num_threads(width)
    for (int round = 1; round <= 3; ++round) {
        const union sigval value = {.sival_int = round + 100 * omp_get_thread_num()};
        value_received = delivered = 0;
        EXPECT_EQ(pthread_sigqueue(pthread_self(), SIGRTMIN, value), 0);
        EXPECT_EQ(value_received, value.sival_int);
        EXPECT_EQ(pthread_kill(pthread_self(), SIGUSR1), 0);
        EXPECT_EQ(delivered, SIGUSR1);
        EXPECT_EQ(pthread_kill(pthread_self(), 33), EINVAL);
#pragma omp barrier
        EXPECT_EQ(value_received, value.sival_int);
#pragma omp barrier
    }
}

static void errno_survives(int width) {
#pragma omp parallel num_threads(width)
    {
        errno = 55;
        raise(SIGUSR1);
        EXPECT_EQ(errno, 55);
#pragma omp barrier
        EXPECT_EQ(delivered, SIGUSR1);
    }
}

// Separate functions, since gcc drops volatile from a region's local variables.
static __attribute__((noinline)) int stage_reached(void) {
    volatile int stage = 1;
    if (sigsetjmp(escape, 1) == 0) {
        stage = 2;
        raise(SIGUSR2);
        stage = 3;
    }
    return stage;
}

static __attribute__((noinline)) int survived_fault(void) {
    if (sigsetjmp(escape, 1) == 0) {
        *(volatile int*)(uintptr_t)64 = 1;
        return 0;
    }
    return 1;
}

static void jump_out_of_a_handler(int width) {
#pragma omp parallel num_threads(width)
    {
        EXPECT_EQ(stage_reached(), 2);
#pragma omp barrier
        EXPECT_EQ(stage_reached(), 2);
    }
}

static void nothing_is_blocked(int width) {
#pragma omp parallel num_threads(width)
    {
        sigset_t mask;
        EXPECT_EQ(pthread_sigmask(SIG_SETMASK, NULL, &mask), 0);
        EXPECT_EQ(sigismember(&mask, SIGUSR1), 0);
        EXPECT_EQ(sigismember(&mask, SIGINT), 0);
        EXPECT_EQ(sigismember(&mask, SIGSEGV), 0);
    }
}

// A fault in a thread reaches the program's own handler.
static void fault(int width) {
#pragma omp parallel num_threads(width)
    {
        EXPECT_EQ(survived_fault(), 1);
#pragma omp barrier
    }
}

int main(void) {
    struct sigaction action = {.sa_handler = on_signal}, leave = {.sa_handler = on_escape};
    sigaction(SIGUSR1, &action, NULL);
    sigaction(SIGUSR2, &leave, NULL);
    sigaction(SIGSEGV, &leave, NULL);
    struct sigaction take = {.sa_sigaction = on_value, .sa_flags = SA_SIGINFO};
    sigaction(SIGRTMIN, &take, NULL);
    check("raised", raised);
    check("queued", queued);
    check("errno-survives", errno_survives);
    check("jump-out-of-a-handler", jump_out_of_a_handler);
    check("nothing-is-blocked", nothing_is_blocked);
    check("fault", fault);
    return check_done();
}
