// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../random.h"

enum { fan = 8 };

static const uint64_t likely = (uint64_t)(0.1249 * 18446744073709551615.0);

static inline uint64_t child_of(uint64_t node, long which) {
    uint64_t state = node + (uint64_t)which * 0x2545f4914f6cdd1du;
    return next_random(&state);
}

static inline long children_of(uint64_t node) { return node < likely ? fan : 0; }

// The number of nodes of a subtree whose root has `children` children.
long visit_serially(uint64_t node, long children);
