// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { branches = 4, queue_length = 512 };

struct Patient {
    int left;  // steps until the treatment is over
    int hops;  // levels of the hospital above the patient's own village
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
    bool topmost;
    long treated, sent_on, turned_away;
    struct Queue waiting, inside, for_parent;
};

// Simulates a step in one village.
void simulate_hospital(struct Village* village);
// Takes in the patients that the villages below have sent on in this step.
void take_in(struct Village* village);
// Simulates a step in a village and all villages below it.
void simulate_serially(struct Village* village);

void restart(struct Village* village, uint64_t seed);
uint64_t digest(const struct Village* village);
