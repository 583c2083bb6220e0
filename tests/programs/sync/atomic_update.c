// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// atomic update: every operator on every arithmetic type, on both sides of the operator, mixed types, array
// elements.
#include <complex.h>
#include "check.h"

enum { rounds = 6 };

#define PARALLEL(statement)                                                                   \
    _Pragma("omp parallel num_threads(width)") for (int round = 0; round < rounds; ++round) { \
        int me = omp_get_thread_num();                                                        \
        (void)me;                                                                             \
        _Pragma("omp atomic") statement;                                                      \
    }

// Sums in narrow types wrap exactly as one thread's sum would. Powers of two keep products exact.
#define TEST_ARITHMETIC(T, label)                                    \
    static void arithmetic_##label(int width) {                      \
        T sum = 1, difference = 100, flipped = 0, product = 1;       \
        PARALLEL(sum += (T)2)                                        \
        PARALLEL(difference -= (T)1)                                 \
        PARALLEL(flipped = (T)1 - flipped)                           \
        PARALLEL(product *= (T)(round == 0 && me < 3 ? 2 : 1))       \
        T want_sum = 1, want_difference = 100;                       \
        for (int i = 0; i < rounds * width; ++i) {                   \
            want_sum += (T)2;                                        \
            want_difference -= (T)1;                                 \
        }                                                            \
        EXPECT(sum == want_sum);                                     \
        EXPECT(difference == want_difference);                       \
        EXPECT(flipped == (T)(rounds * width % 2));                  \
        EXPECT(product == (T)(width == 1 ? 2 : width == 2 ? 4 : 8)); \
    }

#define TEST_DIVISION(T, label)                              \
    static void division_##label(int width) {                \
        T value = (T)64, turned = 2;                         \
        PARALLEL(value /= (T)(round == 0 && me < 4 ? 2 : 1)) \
        EXPECT(value == (T)(width > 3 ? 4 : 64 >> width));   \
        PARALLEL(turned = (T)4 / turned)                     \
        EXPECT(turned == (T)2);                              \
    }

#define TEST_BITS(T, label)                                                                         \
    static void bits_##label(int width) {                                                           \
        T conjunction = (T) ~(T)0, disjunction = 0, exclusive = 0, left = 1, right = 64, mixed = 1; \
        PARALLEL(conjunction &= (T) ~((T)1 << (me * rounds + round) % 7))                           \
        PARALLEL(disjunction |= (T)((T)1 << (me * rounds + round) % 7))                             \
        PARALLEL(exclusive ^= (T)(me * rounds + round))                                             \
        PARALLEL(left <<= (round == 0 && me < 3))                                                   \
        PARALLEL(right >>= (round == 0 && me < 3))                                                  \
        PARALLEL(mixed = (T)(me + 1) | mixed)                                                       \
        T or_want = 0, xor_want = 0, mixed_want = 1;                                                \
        for (int i = 0; i < rounds * width; ++i) {                                                  \
            or_want |= (T)((T)1 << i % 7);                                                          \
            xor_want ^= (T)i;                                                                       \
            mixed_want |= (T)(i % width + 1);                                                       \
        }                                                                                           \
        EXPECT(conjunction == (T)~or_want);                                                         \
        EXPECT(disjunction == or_want);                                                             \
        EXPECT(exclusive == xor_want);                                                              \
        EXPECT(left == (T)(1 << (width < 3 ? width : 3)));                                          \
        EXPECT(right == (T)(64 >> (width < 3 ? width : 3)));                                        \
        EXPECT(mixed == mixed_want);                                                                \
    }

#define INTEGERS(V)        \
    V(signed char, i8)     \
    V(unsigned char, u8)   \
    V(short, i16)          \
    V(unsigned short, u16) \
    V(int, i32) V(unsigned, u32) V(long, i64) V(unsigned long, u64) V(long long, ill) V(unsigned long long, ull)
#define REALS(V) V(float, f32) V(double, f64) V(long double, f80)
// gcc does not accept a complex operand in C.
#ifdef __clang__
#define COMPLEXES(V) V(float _Complex, c32) V(double _Complex, c64) V(long double _Complex, c80)
#else
#define COMPLEXES(V)
#endif

INTEGERS(TEST_ARITHMETIC)
REALS(TEST_ARITHMETIC)
COMPLEXES(TEST_ARITHMETIC)
INTEGERS(TEST_DIVISION)
REALS(TEST_DIVISION)
INTEGERS(TEST_BITS)

static void mixed_types(int width) {
    int i = 0;
    short s = 0;
    float f = 0;
    unsigned char c = 0;
    double d = 0;
    long double ld = 0;
    PARALLEL(i += 1.5)
    PARALLEL(s += 2L)
    PARALLEL(f += 0.5)
    PARALLEL(c += 1.0f)
    PARALLEL(d += 1)
    PARALLEL(ld += 0.25f)
    int n = rounds * width;
    EXPECT_EQ(i, n);
    EXPECT_EQ(s, 2 * n);
    EXPECT(f == 0.5f * n);
    EXPECT_EQ(c, n);
    EXPECT(d == n);
    EXPECT(ld == 0.25L * n);
}

static void increments(int width) {
    int up = 0, down = 0;
    long long wide = 1LL << 40;
    signed char narrow[7] = {0};
    PARALLEL(up++)
    PARALLEL(--down)
    PARALLEL(++wide)
    PARALLEL(narrow[me % 7]--)
    EXPECT_EQ(up, rounds * width);
    EXPECT_EQ(down, -rounds * width);
    EXPECT_EQ(wide, (1LL << 40) + rounds * width);
    int total = 0;
    for (int i = 0; i < 7; ++i) total += narrow[i];
    EXPECT_EQ(total, -rounds * width);
}

// Updates of neighbours in one word, and of values that are not aligned.
static void neighbours(int width) {
    struct __attribute__((packed)) {
        char pad;
        int odd;
        short odder;
        double oddest;
    } value = {0, 0, 0, 0};
    unsigned char bytes[8] = {0};
#pragma omp parallel num_threads(width)
    for (int round = 0; round < rounds; ++round) {
#pragma omp atomic
        bytes[omp_get_thread_num() % 8] += 1;
#pragma omp critical(packed_members)
        {
            value.odd++;
            value.odder--;
            value.oddest += 0.5;
        }
    }
    for (int i = 0; i < 8; ++i) EXPECT_EQ(bytes[i], width > i ? rounds : 0);
    EXPECT_EQ(value.odd, rounds * width);
    EXPECT_EQ(value.odder, -rounds * width);
    EXPECT(value.oddest == 0.5 * rounds * width);
}

#define RUN_ARITHMETIC(T, label) check("arithmetic-" #label, arithmetic_##label);
#define RUN_DIVISION(T, label) check("division-" #label, division_##label);
#define RUN_BITS(T, label) check("bits-" #label, bits_##label);

int main(void) {
    INTEGERS(RUN_ARITHMETIC)
    REALS(RUN_ARITHMETIC)
    COMPLEXES(RUN_ARITHMETIC)
    INTEGERS(RUN_DIVISION)
    REALS(RUN_DIVISION)
    INTEGERS(RUN_BITS)
    check("mixed-types", mixed_types);
    check("increments", increments);
    check("neighbours", neighbours);
    return check_done();
}
