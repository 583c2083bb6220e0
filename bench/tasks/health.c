// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A country's hospitals, simulated: villages form a tree; in each step those who fall ill see the hospital of
// their village, are treated there or sent on to that of the village above. A task for each subtree in each
// step; a village's events come from a sequence of its own, so the outcome does not depend on who runs what.
#include "kernel.h"

#include <stdlib.h>

enum { branches = 4, steps = 40, queue_length = 512 };

struct Patient {
    int left;  // steps until the treatment is over
    int hops;  // villages above the patient's own
};

struct Queue {
    struct Patient patients[queue_length];
    int count;
};

struct Village {
    struct Village* children[branches];
    uint64_t events;
    int level;  // 0 has no children
    int beds, population;
    long treated, sent_on, turned_away;
    struct Queue waiting, inside, for_parent;
};

static struct Village* country;
static int levels;
static long villages;
static uint64_t expected;

static void enter(struct Queue* queue, struct Patient patient, long* turned_away) {
    if (queue->count < queue_length)
        queue->patients[queue->count++] = patient;
    else
        ++*turned_away;
}

static void simulate_hospital(struct Village* village) {
    village->for_parent.count = 0;
    int kept = 0;
    for (int i = 0; i < village->inside.count; i++) {
        struct Patient patient = village->inside.patients[i];
        if (--patient.left > 0)
            village->inside.patients[kept++] = patient;
        else
            village->treated++;
    }
    village->inside.count = kept;
    for (int i = 0; i < village->population; i++)
        if (next_random(&village->events) % 16 == 0) enter(&village->waiting, (struct Patient){0, 0}, &village->turned_away);
    kept = 0;
    for (int i = 0; i < village->waiting.count; i++) {
        struct Patient patient = village->waiting.patients[i];
        if (village->inside.count >= village->beds) {
            village->waiting.patients[kept++] = patient;
        } else if (village != country && next_random(&village->events) % 8 == 0) {
            patient.hops++;
            village->sent_on++;
            enter(&village->for_parent, patient, &village->turned_away);
        } else {
            patient.left = 1 + (int)(next_random(&village->events) % 8);
            enter(&village->inside, patient, &village->turned_away);
        }
    }
    village->waiting.count = kept;
}

static void simulate(struct Village* village, long depth) {
    for (int i = 0; i < branches; i++)
        if (village->children[i] != NULL)
            SPAWN(depth, firstprivate(village, i, depth), simulate(village->children[i], depth + 1));
    simulate_hospital(village);
    WAIT(depth);
    for (int i = 0; i < branches; i++) {
        struct Village* child = village->children[i];
        for (int p = 0; child != NULL && p < child->for_parent.count; p++)
            enter(&village->waiting, child->for_parent.patients[p], &village->turned_away);
    }
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

static void restart(struct Village* village, uint64_t seed) {
    village->events = seed;
    village->treated = village->sent_on = village->turned_away = 0;
    village->waiting.count = village->inside.count = village->for_parent.count = 0;
    for (int i = 0; village->level > 0 && i < branches; i++) restart(village->children[i], next_random(&seed));
}

static uint64_t digest(const struct Village* village) {
    uint64_t sum = (uint64_t)village->treated + 3 * (uint64_t)village->sent_on + 7 * (uint64_t)village->waiting.count +
                   11 * (uint64_t)village->turned_away + 13 * (uint64_t)village->inside.count;
    for (int i = 0; village->level > 0 && i < branches; i++) sum = sum * 31 + digest(village->children[i]);
    return sum;
}

static void reset(void) { restart(country, 6); }

static void run(void) {
    for (int step = 0; step < steps; step++) simulate(country, 0);
}

static void prepare(long size) {
    levels = (int)size;
    country = found_village(levels, 6);
    const long asked = cut_off;
    cut_off = 0;
    reset();
    run();
    expected = digest(country);
    cut_off = asked;
}

static void check(void) {
    if (digest(country) != expected) wrong("the patients of %ld villages are not where they should be", villages);
}

static long tasks(void) { return steps * (villages - 1); }

int main(int argc, char** argv) {
    const struct Kernel kernel = {"health", 5, "levels of villages", 2, prepare, reset, run, check, tasks};
    return run_kernel(argc, argv, &kernel);
}
