// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A random graph of tasks with three dependences each: task i changes one cell (inout) and reads two (in).
// With lookups=1 there are no tasks: the program only finds and enters the addresses in a hash table, as every
// runtime must, which gives a lower bound of what the dependences cost. With serial=1 it calls what the tasks do, in order.
#include "kernel.h"

#include <stdlib.h>
#include <string.h>

struct Use {
    uint32_t changed, read[2];
};

struct Entry {
    const void* address;
    uint32_t last_writer, last_reader;
};

static long n;
static long cells_count;
static struct Use* uses;
static uint64_t* cells;
static uint64_t* expected;
static struct Entry* entries;
static uint64_t mask;
static uint64_t found;

static void change(uint64_t* cell, const uint64_t* a, const uint64_t* b, uint64_t number) {
    *cell = *cell * 6364136223846793005u + *a + 3 * *b + number;
}

static void spawn_all(void) {
    for (long i = 0; i < n; i++) {
        uint64_t *cell = &cells[uses[i].changed], *a = &cells[uses[i].read[0]], *b = &cells[uses[i].read[1]];
#pragma omp task firstprivate(cell, a, b, i) depend(inout : cell[0]) depend(in : a[0], b[0])
        change(cell, a, b, (uint64_t)i);
    }
}

static struct Entry* look_up(const void* address) {
    uint64_t at = (uint64_t)(uintptr_t)address * 0x9e3779b97f4a7c15u >> 20;
    for (;; at++) {
        struct Entry* entry = &entries[at & mask];
        if (entry->address == address) return entry;
        if (entry->address == NULL) {
            entry->address = address;
            return entry;
        }
    }
}

static void look_up_all(void) {
    uint64_t sum = 0;
    for (long i = 0; i < n; i++) {
        for (int k = 0; k < 2; k++) {
            struct Entry* read = look_up(&cells[uses[i].read[k]]);
            sum += read->last_writer;
            read->last_reader = (uint32_t)i;
        }
        struct Entry* changed = look_up(&cells[uses[i].changed]);
        sum += changed->last_writer + changed->last_reader;
        changed->last_writer = (uint32_t)i;
    }
    found = sum;
}

static void start(void) {
    for (long i = 0; i < cells_count; i++) cells[i] = (uint64_t)i;
}

static void pass(void* context) {
    const int threads = *(const int*)context;
    start();
#pragma omp parallel num_threads(threads)
    {
#pragma omp single
        spawn_all();
    }
    if (memcmp(cells, expected, (size_t)cells_count * sizeof *cells) != 0)
        wrong("%ld tasks were not run in an order that their dependences allow", n);
}

static void pass_of_calls(void* context) {
    (void)context;
    start();
    for (long i = 0; i < n; i++) change(&cells[uses[i].changed], &cells[uses[i].read[0]], &cells[uses[i].read[1]], (uint64_t)i);
    if (memcmp(cells, expected, (size_t)cells_count * sizeof *cells) != 0) wrong("two passes of plain calls differ");
}

static void pass_of_lookups(void* context) {
    const uint64_t before = found;
    (void)context;
    memset(entries, 0, (size_t)(mask + 1) * sizeof *entries);
    look_up_all();
    if (before != 0 && found != before) wrong("two passes of look-ups differ");
}

int main(int argc, char** argv) {
    struct Option options[] = {
        {"threads", 2, "threads of the team"},
        {"tasks", 100000, "tasks"},
        {"cells", 0, "addresses (0: a tenth of the tasks)"},
        {"lookups", 0, "1: look the addresses up, run nothing"},
        {"serial", 0, "1: plain calls, no region"},
    };
    const struct Budget budget = read_options(argc, argv, options, 5);
    int threads = (int)options[0].value;
    const bool lookups = options[3].value != 0;
    const bool serial = options[4].value != 0;
    uint64_t state = 8;
    n = (long)options[1].value;
    cells_count = options[2].value > 0 ? (long)options[2].value : n / 10 + 3;
    for (mask = 1; mask < 2 * (uint64_t)cells_count; mask *= 2) {}
    mask--;
    uses = malloc((size_t)n * sizeof *uses);
    cells = malloc((size_t)cells_count * sizeof *cells);
    expected = malloc((size_t)cells_count * sizeof *expected);
    entries = calloc(mask + 1, sizeof *entries);
    if (uses == NULL || cells == NULL || expected == NULL || entries == NULL) wrong("no memory for %ld tasks", n);
    start();
    for (long i = 0; i < n; i++) {
        uint32_t at[3];
        for (int k = 0; k < 3; k++) {
            do at[k] = (uint32_t)(next_random(&state) % (uint64_t)cells_count);
            while ((k > 0 && at[k] == at[0]) || (k > 1 && at[k] == at[1]));
        }
        uses[i] = (struct Use){at[0], {at[1], at[2]}};
        change(&cells[at[0]], &cells[at[1]], &cells[at[2]], (uint64_t)i);
    }
    memcpy(expected, cells, (size_t)cells_count * sizeof *cells);

    const struct Timing timing = measure(lookups ? pass_of_lookups : serial ? pass_of_calls : pass, &threads, &budget);
    json_open("graph");
    json_number("threads", threads);
    json_number("tasks", (double)n);
    json_number("cells", (double)cells_count);
    json_number("lookups", lookups);
    json_number("serial", serial);
    json_timing(&timing);
    json_number("ns_a_task", 1000 * timing.median_us / (double)n);
    json_close();
    return 0;
}
