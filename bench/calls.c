// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The lower bound of nested.c: `outer` times `inner` bodies as plain calls on one core, while all other cores do the same.
// Each call does what no runtime can leave out: it sets a team and a thread number, and restores the old ones.
#include "measure.h"

struct Thread {
    const struct Thread* parent;
    int number;
    int team_size;
};

static __thread const struct Thread* current;

static void inner_body(int i, int j) { empty(i, j); }

static void call(void (*volatile body)(int, int), int i, int number, int team_size) {
    const struct Thread thread = {current, number, team_size};
    current = &thread;
    __asm__ volatile("" : : "r"(&thread) : "memory");
    body(i, number);
    current = thread.parent;
}

static int inner_size;

static void outer_body(int i, int number) {
    (void)number;
    for (int j = 0; j < inner_size; j++) call(inner_body, i, j, inner_size);
}

static void pass(void* context, int part, int parts) {
    const int outer = *(const int*)context;
    for (int i = part; i < outer; i += parts) call(outer_body, i, i, outer);
}

int main(int argc, char** argv) {
    struct Option options[] = {{"outer", 4, "outer calls"}, {"inner", 4, "calls inside each"}};
    const struct Budget budget = read_options(argc, argv, options, 2);
    int outer = (int)options[0].value;
    inner_size = (int)options[1].value;

    const struct Timing timing = measure_on_all_cores(pass, &outer, &budget);

    json_open("calls");
    json_number("outer", outer);
    json_number("inner", inner_size);
    json_timing(&timing);
    json_close();
    return 0;
}
