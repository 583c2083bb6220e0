// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "uts.h"

long visit_serially(uint64_t node, long children) {
    long total = 1;
    for (long i = 0; i < children; i++) {
        const uint64_t child = child_of(node, i);
        total += visit_serially(child, children_of(child));
    }
    return total;
}
