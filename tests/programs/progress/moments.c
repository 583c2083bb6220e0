// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads that sleep for moments until another thread has done something, by each of libc's functions; and what these functions
// promise besides.
//
// test: peer-teams gcc 1 2 3
// test: peer-teams clang 1 2 3
#include <errno.h>
#include <time.h>
#include <unistd.h>
#include "check.h"

enum { moment_ns = 2000, second_ns = 1000000000 };

static void by_nanosleep(void) {
    struct timespec time = {0, moment_ns};
    EXPECT_EQ(nanosleep(&time, NULL), 0);
}

static void by_usleep(void) { EXPECT_EQ(usleep(moment_ns / 1000), 0); }

static void by_clock(void) {
    struct timespec time = {0, moment_ns};
    EXPECT_EQ(clock_nanosleep(CLOCK_MONOTONIC, 0, &time, NULL), 0);
}

static void until(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    time.tv_nsec += moment_ns;
    time.tv_sec += time.tv_nsec / second_ns;
    time.tv_nsec %= second_ns;
    EXPECT_EQ(clock_nanosleep(clock, TIMER_ABSTIME, &time, NULL), 0);
}

static void until_real_time(void) { until(CLOCK_REALTIME); }
static void until_monotonic_time(void) { until(CLOCK_MONOTONIC); }

// At barriers of their own making, as Kokkos's teams do.
static void meet_by(int width, void (*sleep_a_moment)(void)) {
    enum { rounds = 20 };
    int arrived = 0;
#pragma omp parallel num_threads(width)
    for (int round = 1; round <= rounds; ++round) {
        __atomic_add_fetch(&arrived, 1, __ATOMIC_ACQ_REL);
        while (__atomic_load_n(&arrived, __ATOMIC_ACQUIRE) < round * width) sleep_a_moment();
    }
    EXPECT_EQ(arrived, rounds * width);
}

static void meet_by_nanosleep(int width) { meet_by(width, by_nanosleep); }
static void meet_by_usleep(int width) { meet_by(width, by_usleep); }
static void meet_by_clock(int width) { meet_by(width, by_clock); }
static void meet_until_real_time(int width) { meet_by(width, until_real_time); }
static void meet_until_monotonic_time(int width) { meet_by(width, until_monotonic_time); }

static long long now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000ll + now.tv_nsec;
}

// No sleep is too short, whoever runs meanwhile; and others do.
static void last_long_enough(int width) {
    static const long times_ns[] = {1, 999, 50000, 300000, 1000000, 1000001, 3000000};
    int slept = 0;
#pragma omp parallel num_threads(width) reduction(+ : slept)
    for (unsigned i = 0; i < sizeof times_ns / sizeof *times_ns; ++i) {
        struct timespec time = {0, times_ns[i]};
        long long begin = now_ns();
        EXPECT_EQ(nanosleep(&time, NULL), 0);
        EXPECT(now_ns() - begin >= times_ns[i]);
        begin = now_ns();
        EXPECT_EQ(clock_nanosleep(CLOCK_MONOTONIC, 0, &time, NULL), 0);
        EXPECT(now_ns() - begin >= times_ns[i]);
        begin = now_ns();
        EXPECT_EQ(usleep((unsigned)times_ns[i] / 1000), 0);
        EXPECT(now_ns() - begin >= times_ns[i] / 1000 * 1000);
        slept++;
    }
    EXPECT_EQ(slept, width * (int)(sizeof times_ns / sizeof *times_ns));
}

static void bad_times_are_refused(int width) {
    int refused = 0;
#pragma omp parallel num_threads(width) reduction(+ : refused)
    {
        struct timespec too_much = {0, second_ns}, negative = {0, -1}, past = {0, 0};
        errno = 0;
        refused += nanosleep(&too_much, NULL) == -1 && errno == EINVAL;
        errno = 0;
        refused += nanosleep(&negative, NULL) == -1 && errno == EINVAL;
        errno = 0;
        refused += clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &negative, NULL) == EINVAL && errno == 0;
        refused += clock_nanosleep(CLOCK_THREAD_CPUTIME_ID, 0, &past, NULL) != 0;
        EXPECT_EQ(clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &past, NULL), 0);
        EXPECT_EQ(nanosleep(&past, NULL), 0);
    }
    EXPECT_EQ(refused, 4 * width);
}

int main(void) {
    check("meet-by-nanosleep", meet_by_nanosleep);
    check("meet-by-usleep", meet_by_usleep);
    check("meet-by-clock", meet_by_clock);
    check("meet-until-real-time", meet_until_real_time);
    check("meet-until-monotonic-time", meet_until_monotonic_time);
    check("last-long-enough", last_long_enough);
    check("bad-times-are-refused", bad_times_are_refused);
    return check_done();
}
