// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A simulation of a country's hospitals. Villages form a tree. In each step the ill see their village's
// hospital, which treats them or sends them on to the hospital of the village above. Each step has a task for
// each subtree. Each village has its own random sequence, so the result does not depend on the tasks' order.
#include "work/health.h"
#include "kernel.h"

#include <stdlib.h>

enum { steps = 40 };

static struct Village* country;
static int levels;
static long villages;
static uint64_t expected;

static void simulate(struct Village* village, long depth) {
    if (depth >= cut_off) {
        simulate_serially(village);
        return;
    }
    for (int i = 0; i < branches; i++)
        if (village->children[i] != NULL) SPAWN(firstprivate(village, i, depth), simulate(village->children[i], depth + 1));
    simulate_hospital(village);
#pragma omp taskwait
    take_in(village);
}

static struct Village* found_village(int level, uint64_t seed) {
    struct Village* village = calloc(1, sizeof *village);
    if (village == NULL) wrong("no memory for a village");
    villages++;
    village->level = level;
    village->events = seed;
    village->population = 6 << (level < 4 ? level : 4);
    village->beds = 2 << level;
    for (int i = 0; level > 0 && i < branches; i++) village->children[i] = found_village(level - 1, next_random(&seed));
    return village;
}

static void reset(void) { restart(country, 6); }

static void run(void) {
    for (int step = 0; step < steps; step++) simulate(country, 0);
}

static void prepare(long size) {
    levels = (int)size;
    country = found_village(levels, 6);
    country->topmost = true;
    reset();
    for (int step = 0; step < steps; step++) simulate_serially(country);
    expected = digest(country);
}

static void check(void) {
    if (digest(country) != expected) wrong("the patients of %ld villages are not where they should be", villages);
}

static long tasks(void) { return steps * (villages - 1); }

int main(int argc, char** argv) {
    const struct Kernel kernel = {"health", 5, "levels of villages", 2, prepare, reset, run, check, tasks};
    return run_kernel(argc, argv, &kernel);
}
