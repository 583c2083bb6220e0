// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// reduction: every operator on every arithmetic type, on parallel, on for, and with several list items at
// once.
#include <complex.h>
#include "check.h"

// A pragma that a macro makes, over several lines.
#define PRAGMA(...) _Pragma(#__VA_ARGS__)

// Values are small, so that every type holds every result exactly. One thread computes the reference.
#define TEST_ARITHMETIC(T, label)                                                                                     \
    static void sum_##label(int width) {                                                                              \
        T sum = 3, product = 2, difference = 5;                                                                       \
        PRAGMA(omp parallel num_threads(width) reduction(+ : sum) reduction(* : product) reduction(- : difference)) { \
            sum += (T)1;                                                                                              \
            product *= (T)(omp_get_thread_num() == 0 ? 3 : 1);                                                        \
            difference -= (T)1;                                                                                       \
        }                                                                                                             \
        EXPECT(sum == (T)(3 + width));                                                                                \
        EXPECT(product == (T)6);                                                                                      \
        EXPECT(difference == (T)((T)5 - (T)width));                                                                   \
        T total = 0;                                                                                                  \
        _Pragma("omp parallel num_threads(width)") {                                                                  \
            _Pragma("omp for reduction(+ : total) schedule(dynamic, 3)") for (int i = 0; i < 14; ++i) total += (T)i;  \
            EXPECT(total == (T)91);                                                                                   \
        }                                                                                                             \
    }

#define TEST_ORDERED(T, label)                                                                \
    static void extremes_##label(int width) {                                                 \
        T low = 100, high = 0;                                                                \
        int any = 0, all = 1;                                                                 \
        PRAGMA(omp parallel for num_threads(width) reduction(min : low) reduction(max : high) \
 reduction(|| : any) reduction(&& : all)) for (int i = 0; i < 40; ++i) {                      \
            T value = (T)(20 + (i * 7) % 40);                                                 \
            low = value < low ? value : low;                                                  \
            high = value > high ? value : high;                                               \
            any = any || value == (T)59;                                                      \
            all = all && value >= (T)20;                                                      \
        }                                                                                     \
        EXPECT(low == (T)20);                                                                 \
        EXPECT(high == (T)59);                                                                \
        EXPECT_EQ(any, 1);                                                                    \
        EXPECT_EQ(all, 1);                                                                    \
    }

#define TEST_BITS(T, label)                                                                                                   \
    static void bits_##label(int width) {                                                                                     \
        T conjunction = (T) ~(T)0, disjunction = 0, exclusive = 1;                                                            \
        T any = 0, all = 1;                                                                                                   \
        PRAGMA(omp parallel num_threads(width) reduction(& : conjunction) reduction(| : disjunction) reduction(^ : exclusive) \
                   reduction(|| : any) reduction(&& : all)) {                                                                 \
            int me = omp_get_thread_num();                                                                                    \
            conjunction &= (T) ~(1 << me % 5);                                                                                \
            disjunction |= (T)(1 << me % 5);                                                                                  \
            exclusive ^= (T)(1 << me % 5);                                                                                    \
            any = any || me == width - 1;                                                                                     \
            all = all && me != width - 1;                                                                                     \
        }                                                                                                                     \
        T want_or = 0, want_xor = 1;                                                                                          \
        for (int i = 0; i < width; ++i) {                                                                                     \
            want_or |= (T)(1 << i % 5);                                                                                       \
            want_xor ^= (T)(1 << i % 5);                                                                                      \
        }                                                                                                                     \
        EXPECT(conjunction == (T)~want_or);                                                                                   \
        EXPECT(disjunction == want_or);                                                                                       \
        EXPECT(exclusive == want_xor);                                                                                        \
        EXPECT(any == 1);                                                                                                     \
        EXPECT(all == 0);                                                                                                     \
    }

#define INTEGERS(V)        \
    V(signed char, i8)     \
    V(unsigned char, u8)   \
    V(short, i16)          \
    V(unsigned short, u16) \
    V(int, i32) V(unsigned, u32) V(long, i64) V(unsigned long, u64) V(long long, ill) V(unsigned long long, ull)
#define REALS(V) V(float, f32) V(double, f64) V(long double, f80)
#define COMPLEXES(V) V(float _Complex, c32) V(double _Complex, c64) V(long double _Complex, c80)

INTEGERS(TEST_ARITHMETIC)
REALS(TEST_ARITHMETIC)
COMPLEXES(TEST_ARITHMETIC)
INTEGERS(TEST_ORDERED)
REALS(TEST_ORDERED)
INTEGERS(TEST_BITS)

static void several_items(int width) {
    int a = 0, b = 0;
    double c = 0;
    char d = 0;
    long e[3] = {0, 0, 0};
    long double f = 1;
#pragma omp parallel num_threads(width) reduction(+ : a, b, c, d, e) reduction(* : f)
    {
        int me = omp_get_thread_num();
        a += me, b += 1, c += 0.5, d += 1, e[0] += me, e[2] -= me;
        f *= 2;
    }
    int last = width * (width - 1) / 2;
    EXPECT_EQ(a, last);
    EXPECT_EQ(b, width);
    EXPECT(c == 0.5 * width);
    EXPECT_EQ(d, width);
    EXPECT_EQ(e[0], last);
    EXPECT_EQ(e[1], 0);
    EXPECT_EQ(e[2], -last);
    EXPECT(f == (long double)(1L << width));
}

static void nowait_then_barrier(int width) {
    long sum = 0;
#pragma omp parallel num_threads(width)
    {
#pragma omp for reduction(+ : sum) nowait
        for (int i = 0; i < 100; ++i) sum += i;
#pragma omp barrier
        EXPECT_EQ(sum, 4950);
#pragma omp barrier
#pragma omp sections reduction(+ : sum)
        {
#pragma omp section
            sum += 1;
#pragma omp section
            sum += 2;
#pragma omp section
            sum += 3;
        }
        EXPECT_EQ(sum, 4956);
    }
}

#define RUN_ARITHMETIC(T, label) check("sum-" #label, sum_##label);
#define RUN_ORDERED(T, label) check("extremes-" #label, extremes_##label);
#define RUN_BITS(T, label) check("bits-" #label, bits_##label);

int main(void) {
    INTEGERS(RUN_ARITHMETIC)
    REALS(RUN_ARITHMETIC)
    COMPLEXES(RUN_ARITHMETIC)
    INTEGERS(RUN_ORDERED)
    REALS(RUN_ORDERED)
    INTEGERS(RUN_BITS)
    check("several-items", several_items);
    check("nowait-then-barrier", nowait_then_barrier);
    return check_done();
}
