// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A region with more outlined variables than any fixed table of arguments: shared, firstprivate and both at
// once.
#include "check.h"

#define EACH(V)                                                                                                           \
    V(0)                                                                                                                  \
    V(1)                                                                                                                  \
    V(2) V(3) V(4) V(5) V(6) V(7) V(8) V(9) V(10) V(11) V(12) V(13) V(14) V(15) V(16) V(17) V(18) V(19) V(20) V(21) V(22) \
        V(23) V(24) V(25) V(26) V(27) V(28) V(29) V(30) V(31) V(32) V(33) V(34) V(35) V(36) V(37) V(38) V(39) V(40) V(41) \
            V(42) V(43) V(44) V(45) V(46) V(47)

#define DECLARE_SHARED(i) int s##i = i;
#define DECLARE_FIRST(i) double f##i = i + 0.5;
#define ADD_SHARED(i) __atomic_fetch_add(&s##i, i + 1, __ATOMIC_RELAXED);
#define TEST_FIRST(i)        \
    EXPECT(f##i == i + 0.5); \
    f##i += omp_get_thread_num();
#define TEST_SHARED(i) EXPECT_EQ(s##i, i + width * (i + 1));
#define TEST_KEPT(i) EXPECT(f##i == i + 0.5);

static void many_shared(int width) {
    EACH(DECLARE_SHARED)
#pragma omp parallel num_threads(width)
        {EACH(ADD_SHARED)} EACH(TEST_SHARED)
}

static void many_firstprivate(int width) {
    EACH(DECLARE_FIRST)
#pragma omp parallel num_threads(width) firstprivate(f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11) \
    firstprivate(f12, f13, f14, f15, f16, f17, f18, f19, f20, f21, f22, f23)                           \
    firstprivate(f24, f25, f26, f27, f28, f29, f30, f31, f32, f33, f34, f35)                           \
    firstprivate(f36, f37, f38, f39, f40, f41, f42, f43, f44, f45, f46, f47)
        {EACH(TEST_FIRST)} EACH(TEST_KEPT)
}

static void both(int width) {
    EACH(DECLARE_SHARED)
    EACH(DECLARE_FIRST)
#pragma omp parallel num_threads(width) firstprivate(f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11) \
    firstprivate(f12, f13, f14, f15, f16, f17, f18, f19, f20, f21, f22, f23)                           \
    firstprivate(f24, f25, f26, f27, f28, f29, f30, f31, f32, f33, f34, f35)                           \
    firstprivate(f36, f37, f38, f39, f40, f41, f42, f43, f44, f45, f46, f47)
        {EACH(TEST_FIRST) EACH(ADD_SHARED)} EACH(TEST_SHARED) EACH(TEST_KEPT)
}

int main(void) {
    check("many-shared", many_shared);
    check("many-firstprivate", many_firstprivate);
    check("both", both);
    return check_done();
}
