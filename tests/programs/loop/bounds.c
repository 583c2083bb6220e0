// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loop bounds: signed and unsigned, 32 and 64 bits, next to the ends of the type, steps down, no trips,
// sparse spaces.
//
// The program has many outlined regions, which compile in a tenth of the time without optimisation:
// test: flags -O0 -g0
#include <limits.h>
#include "check.h"

// A loop's visits: their number, and sums from which the set of values shows in any order.
typedef struct {
    unsigned long long count, sum, square;
} Seen;

static Seen add(Seen seen, unsigned long long value) {
    seen.count++;
    seen.sum += value;
    seen.square += value * value;
    return seen;
}

// Runs `LOOP` serially and under each schedule, and compares the visits. A loop whose last step would pass the
// end of its type is not conforming, so bounds stop one step short of that.
#define COMPARE(T, first, condition, step) COMPARE_BY(T, first, condition, +=, step)
#define COMPARE_DOWN(T, first, condition, step) COMPARE_BY(T, first, condition, -=, step)

#define COMPARE_BY(T, first, condition, by, step)                                           \
    do {                                                                                    \
        Seen want = {0, 0, 0};                                                              \
        for (T i = (first); condition; i by(step)) want = add(want, (unsigned long long)i); \
        ONE(T, first, condition, by, step, "omp for schedule(static)")                      \
        ONE(T, first, condition, by, step, "omp for schedule(static, 3)")                   \
        ONE(T, first, condition, by, step, "omp for schedule(dynamic)")                     \
        ONE(T, first, condition, by, step, "omp for schedule(dynamic, 5)")                  \
        ONE(T, first, condition, by, step, "omp for schedule(guided)")                      \
        ONE(T, first, condition, by, step, "omp for schedule(runtime)")                     \
    } while (0)

#define ONE(T, first, condition, by, step, pragma)                                                              \
    {                                                                                                           \
        Seen got = {0, 0, 0};                                                                                   \
        _Pragma("omp parallel num_threads(width)") {                                                            \
            Seen mine = {0, 0, 0};                                                                              \
            _Pragma(pragma) for (T i = (first); condition; i by(step)) mine = add(mine, (unsigned long long)i); \
            _Pragma("omp critical") {                                                                           \
                got.count += mine.count;                                                                        \
                got.sum += mine.sum;                                                                            \
                got.square += mine.square;                                                                      \
            }                                                                                                   \
        }                                                                                                       \
        EXPECT_EQ(got.count, want.count);                                                                       \
        EXPECT_EQ(got.sum, want.sum);                                                                           \
        EXPECT_EQ(got.square, want.square);                                                                     \
    }

// gcc 12's own code, not the runtime, counts these wrongly: dynamic loops down over an unsigned int, static
// loops over a signed char, spans of more than half a signed type.
#ifdef __clang__
#define UNLESS_GCC(statement) statement
#else
#define UNLESS_GCC(statement)
#endif

static void signed_int(int width) {
    COMPARE(int, -20, i < 20, 1);
    COMPARE(int, 17, i <= 40, 4);
    COMPARE_DOWN(int, 20, i > -20, 1);
    COMPARE_DOWN(int, 20, i >= -20, 7);
    COMPARE(int, INT_MAX - 30, i < INT_MAX, 1);
    COMPARE(int, INT_MIN, i < INT_MIN + 30, 1);
    COMPARE_DOWN(int, INT_MIN + 30, i > INT_MIN, 1);
    COMPARE(int, INT_MAX - 100, i < INT_MAX - 5, 6);
}

static void unsigned_int(int width) {
    COMPARE(unsigned, 0, i < 33, 1);
    COMPARE(unsigned, UINT_MAX - 30, i < UINT_MAX, 1);
    COMPARE(unsigned, 0x7ffffff0u, i < 0x80000010u, 1);
    UNLESS_GCC(COMPARE_DOWN(unsigned, 40, i > 0, 1);)
    UNLESS_GCC(COMPARE_DOWN(unsigned, UINT_MAX - 1, i > UINT_MAX - 40, 3);)
}

static void signed_long(int width) {
    COMPARE(long, -20, i < 20, 1);
    COMPARE(long, LONG_MAX - 30, i < LONG_MAX, 1);
    COMPARE(long, LONG_MIN, i < LONG_MIN + 30, 1);
    COMPARE_DOWN(long, LONG_MIN + 50, i > LONG_MIN + 2, 3);
    COMPARE(long, 1L << 40, i < (1L << 40) + 40, 1);
}

static void unsigned_long(int width) {
    COMPARE(unsigned long long, 0, i < 33, 1);
    COMPARE(unsigned long long, ULLONG_MAX - 30, i < ULLONG_MAX, 1);
    COMPARE(unsigned long long, 0x7ffffffffffffff0ull, i < 0x8000000000000010ull, 1);
    COMPARE_DOWN(unsigned long long, ULLONG_MAX - 1, i > ULLONG_MAX - 40, 3);
    COMPARE_DOWN(unsigned long long, 40, i > 0, 1);
}

static void narrow(int width) {
    UNLESS_GCC(COMPARE(signed char, -128, i < 100, 9);)
    COMPARE(signed char, -50, i < 60, 5);
    COMPARE(unsigned char, 0, i < 250, 5);
    COMPARE(short, 32000, i < 32700, 33);
    COMPARE(unsigned short, 65000, i < 65500, 11);
}

static void zero_trips(int width) {
    volatile int none = 0;
    COMPARE(int, 5, i < none, 1);
    COMPARE_DOWN(int, -5, i > none, 1);
    COMPARE(unsigned, 5, i < (unsigned)none, 1);
    COMPARE(long, 5, i <= none, 3);
    COMPARE(unsigned long long, 7, i < (unsigned long long)none, 2);
}

static void one_trip(int width) {
    volatile int one = 1;
    COMPARE(int, 0, i < one, 1);
    COMPARE(int, 0, i < one, 1000000);
    COMPARE_DOWN(int, 0, i > -one, 5);
    COMPARE(unsigned long long, 0, i < (unsigned long long)one, ULLONG_MAX / 2);
}

// Large strides over nearly the whole type give few iterations, but differences that overflow a signed type.
static void sparse(int width) {
    UNLESS_GCC(COMPARE(int, INT_MIN, i < INT_MAX - 200000000, 200000000);)
    UNLESS_GCC(COMPARE_DOWN(int, INT_MAX, i > INT_MIN + 200000000, 200000000);)
    COMPARE(int, -1000000000, i < 1000000000, 100000000);
    COMPARE_DOWN(int, 1000000000, i > -1000000000, 100000000);
    COMPARE(unsigned, 0, i < UINT_MAX - 400000000u, 300000000u);
    COMPARE(long, -(1L << 61), i < 1L << 61, 1L << 58);
    UNLESS_GCC(COMPARE(long, LONG_MIN, i < LONG_MAX - (1L << 60), 1L << 59);)
    UNLESS_GCC(COMPARE_DOWN(long, LONG_MAX, i > LONG_MIN + (1L << 60), (1L << 59));)
    COMPARE(unsigned long long, 0, i < ULLONG_MAX - (1ull << 61), 1ull << 60);
}

// A huge space of which threads visit only a corner, because every thread leaves its chunk at once.
static void huge_static(int width) {
    long long n = 1LL << 42, first[64], seen = 0;
#pragma omp parallel num_threads(width) reduction(+ : seen)
    {
        int me = omp_get_thread_num();
        first[me] = -1;
#pragma omp for schedule(static)
        for (long long block = 0; block < n; block += n / 16) {
            if (first[me] < 0) first[me] = block;
            seen++;
        }
    }
    EXPECT_EQ(seen, 16);
    EXPECT_EQ(first[0], 0);
}

int main(void) {
    check_share("signed-int", signed_int, 10);
    check_share("unsigned-int", unsigned_int, 10);
    check_share("signed-long", signed_long, 10);
    check_share("unsigned-long", unsigned_long, 10);
    check_share("narrow", narrow, 10);
    check_share("zero-trips", zero_trips, 10);
    check_share("one-trip", one_trip, 10);
    check_share("sparse", sparse, 10);
    check("huge-static", huge_static);
    return check_done();
}
