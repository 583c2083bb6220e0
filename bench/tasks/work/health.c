// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "health.h"

#include <stddef.h>

#include "../random.h"

static void enter(struct Queue* queue, struct Patient patient, long* turned_away) {
    if (queue->count < queue_length)
        queue->patients[queue->count++] = patient;
    else
        ++*turned_away;
}

void simulate_hospital(struct Village* village) {
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
        } else if (!village->topmost && next_random(&village->events) % 8 == 0) {
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

void take_in(struct Village* village) {
    for (int i = 0; i < branches; i++) {
        struct Village* child = village->children[i];
        for (int p = 0; child != NULL && p < child->for_parent.count; p++)
            enter(&village->waiting, child->for_parent.patients[p], &village->turned_away);
    }
}

void simulate_serially(struct Village* village) {
    for (int i = 0; i < branches; i++)
        if (village->children[i] != NULL) simulate_serially(village->children[i]);
    simulate_hospital(village);
    take_in(village);
}

void restart(struct Village* village, uint64_t seed) {
    village->events = seed;
    village->treated = village->sent_on = village->turned_away = 0;
    village->waiting.count = village->inside.count = village->for_parent.count = 0;
    for (int i = 0; village->level > 0 && i < branches; i++) restart(village->children[i], next_random(&seed));
}

uint64_t digest(const struct Village* village) {
    uint64_t sum = (uint64_t)village->treated + 3 * (uint64_t)village->sent_on + 7 * (uint64_t)village->waiting.count +
                   11 * (uint64_t)village->turned_away + 13 * (uint64_t)village->inside.count;
    for (int i = 0; village->level > 0 && i < branches; i++) sum = sum * 31 + digest(village->children[i]);
    return sum;
}
