// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What every whole-library program is made of. A program hands check() a name and a body; the body opens its
// own parallel region of the width it is given and states what must hold with EXPECT. check() runs it flat in
// several widths and inside outer teams (4x8: four threads, each of which calls the body with width 8), so a
// body may keep nothing in static storage that two callers at once would spoil.
//
// CHECK_TEAMS   the teams to run in, default "1 2 3 8 4x8 2x3x4"
// CHECK_REPS    how often each body is repeated in each of them, default 20
// CHECK_SKIP    names of checks to leave out, separated by commas
// CHECK_ONLY    names of checks to run, no others
// CHECK_LONG    1: rounds as many as a measurement wants (check_rounds)
// CHECK_TIMES   1: what each repetition took, on standard error: "time name team milliseconds"
//
// Standard output is the verdict, the same on every runtime that is right; details go to standard error.
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

// How many rounds a body takes: few, or as many as a measurement wants.
__attribute__((unused)) static int check_rounds(int few, int many) { return getenv("CHECK_LONG") ? many : few; }

// Repetitions asked for; a body with its own inner loop may divide by it.
__attribute__((unused)) static int check_reps(void) {
    const char* text = getenv("CHECK_REPS");
    int reps = text ? atoi(text) : 20;
    return reps > 0 ? reps : 1;
}

// `share` of n runs one repetition in n, for bodies that are expensive.
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

// The exit status of main().
__attribute__((unused)) static int check_done(void) { return check_failed_ != 0; }
