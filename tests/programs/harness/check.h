// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The harness of every whole-library program. A program hands check() a name and a body; the body opens a
// parallel region of the given width and states with EXPECT what must hold. check() calls the body flat in
// several widths and inside outer teams (4x8: four threads call the body, each with width 8). So a body may
// keep nothing in static storage that concurrent callers would spoil.
//
// CHECK_TEAMS   the teams that run the bodies, default "1 2 3 8 4x8 2x3x4"
// CHECK_REPS    repetitions of each body in each team, default 20
// CHECK_SKIP    names of checks to leave out, separated by commas
// CHECK_ONLY    names of checks to run, no others
// CHECK_LONG    1: as many rounds as a measurement needs (check_rounds)
// CHECK_TIMES   1: the time of each repetition, on standard error: "time name team milliseconds"
//
// Standard output has the verdict, the same on every correct runtime; standard error has the details.
#pragma once

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void (*CheckBody)(int width);

static int check_failures_;
static int check_failed_;
static const char* check_team_ = "";
static const char* check_name_ = "";

__attribute__((unused)) static void check_report(const char* file, int line, const char* what, long long left, long long right,
                                                 int has_values) {
    if (__atomic_fetch_add(&check_failures_, 1, __ATOMIC_RELAXED) >= 5) return;
    if (has_values)
        fprintf(stderr, "%s:%d: %s (%s): %s, but %lld and %lld\n", file, line, check_name_, check_team_, what, left, right);
    else
        fprintf(stderr, "%s:%d: %s (%s): %s\n", file, line, check_name_, check_team_, what);
}

#define EXPECT(condition) ((condition) ? (void)0 : check_report(__FILE__, __LINE__, #condition, 0, 0, 0))
#define EXPECT_EQ(left, right)                                                                                                \
    do {                                                                                                                      \
        long long left_value_ = (long long)(left), right_value_ = (long long)(right);                                         \
        if (left_value_ != right_value_) check_report(__FILE__, __LINE__, #left " == " #right, left_value_, right_value_, 1); \
    } while (0)

static void check_nest(const int* widths, int depth, CheckBody body) {
    if (depth == 1) {
        body(widths[0]);
        return;
    }
#pragma omp parallel num_threads(widths[0])
    {
        EXPECT_EQ(omp_get_num_threads(), widths[0]);
        check_nest(widths + 1, depth - 1, body);
    }
}

static int check_is_listed(const char* variable, const char* name) {
    const char* list = getenv(variable);
    size_t length = strlen(name);
    for (; list && *list; list += strcspn(list, ","), list += *list == ',')
        if (strcspn(list, ",") == length && strncmp(list, name, length) == 0) return 1;
    return 0;
}

__attribute__((unused)) static int check_skipped(const char* name) {
    return check_is_listed("CHECK_SKIP", name) || (getenv("CHECK_ONLY") && !check_is_listed("CHECK_ONLY", name));
}

// A body's number of rounds: `few` in a test, `many` in a measurement.
__attribute__((unused)) static int check_rounds(int few, int many) { return getenv("CHECK_LONG") ? many : few; }

// The requested repetitions. A body with a loop of its own may divide the loop's length by them.
__attribute__((unused)) static int check_reps(void) {
    const char* text = getenv("CHECK_REPS");
    int reps = text ? atoi(text) : 20;
    return reps > 0 ? reps : 1;
}

// Runs one repetition in `share`, for expensive bodies.
__attribute__((unused)) static void check_share(const char* name, CheckBody body, int share) {
    if (check_skipped(name)) return;
    const char* teams = getenv("CHECK_TEAMS");
    if (!teams) teams = "1 2 3 8 4x8 2x3x4";
    int reps = (check_reps() + share - 1) / share;
    omp_set_max_active_levels(16);
    check_name_ = name;
    while (*teams) {
        char team[32];
        int widths[8], depth = 0;
        size_t length = strcspn(teams, " ");
        snprintf(team, sizeof team, "%.*s", (int)length, teams);
        teams += length + (teams[length] == ' ');
        for (char* at = team; depth < 8; ++at) {
            widths[depth++] = (int)strtol(at, &at, 10);
            if (*at != 'x') break;
        }
        check_team_ = team;
        check_failures_ = 0;
        for (int rep = 0; rep < reps && check_failures_ == 0; ++rep) {
            double begin = omp_get_wtime();
            check_nest(widths, depth, body);
            if (getenv("CHECK_TIMES")) fprintf(stderr, "time %s %s %.3f\n", name, team, 1e3 * (omp_get_wtime() - begin));
        }
        printf("%s %s %s\n", check_failures_ ? "not ok" : "ok", name, team);
        fflush(stdout);
        check_failed_ += check_failures_ != 0;
    }
}

__attribute__((unused)) static void check(const char* name, CheckBody body) { check_share(name, body, 1); }

// Returns the exit status for main().
__attribute__((unused)) static int check_done(void) { return check_failed_ != 0; }
