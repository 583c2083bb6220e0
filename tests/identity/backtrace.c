// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// backtrace() in an OpenMP thread shows the region's body and comes to an end, before and after a wait.
// test: flags -rdynamic -D_GNU_SOURCE -fno-optimize-sibling-calls
#include <dlfcn.h>
#include <execinfo.h>
#include "check.h"

// Bit 0: the backtrace has innermost, bit 1: it has outermost after that, bit 2: it is not cut off.
__attribute__((noinline)) int innermost(void) {
    void* frames[200];
    int depth = backtrace(frames, 200), seen = depth < 200 ? 4 : 0;
    for (int i = 0; i < depth; ++i) {
        Dl_info info;
        if (!dladdr(frames[i], &info) || !info.dli_sname) continue;
        if (strcmp(info.dli_sname, "innermost") == 0) seen |= 1;
        if ((seen & 1) && strcmp(info.dli_sname, "outermost") == 0) seen |= 2;
    }
    return seen;
}

__attribute__((noinline)) int outermost(int depth) {
    int seen = depth > 0 ? outermost(depth - 1) : innermost();
    __asm__ volatile("" : "+r"(seen));  // keeps the call above from being a tail call
    return seen;
}

static void through_the_region(int width) {
    int right = 0;
#pragma omp parallel num_threads(width) reduction(+ : right)
    {
        right += outermost(3) == 7;
#pragma omp barrier
        right += outermost(3) == 7;
    }
    EXPECT_EQ(right, 2 * width);
}

int main(void) {
    check("through-the-region", through_the_region);
    return check_done();
}
