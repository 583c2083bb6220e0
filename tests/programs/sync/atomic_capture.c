// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// atomic read, write, capture, compare, with memory orders and hints.
#include <complex.h>
#include "check.h"

// Threads draw every ticket once: a torn capture would repeat or lose one.
#define TEST_TICKETS(T, label)                                                            \
    static void tickets_##label(int width) {                                              \
        T next = 0;                                                                       \
        int drawn[128] = {0};                                                             \
        _Pragma("omp parallel num_threads(width)") for (int i = 0; i < 10; ++i) {         \
            T mine;                                                                       \
            _Pragma("omp atomic capture") {                                               \
                mine = next;                                                              \
                next += (T)1;                                                             \
            }                                                                             \
            int at = (int)mine;                                                           \
            EXPECT(at >= 0 && at < 128);                                                  \
            if (at >= 0 && at < 128) __atomic_fetch_add(&drawn[at], 1, __ATOMIC_RELAXED); \
        }                                                                                 \
        for (int i = 0; i < 128; ++i) EXPECT_EQ(drawn[i], i < 10 * width);                \
    }

// A reader always sees both halves of a wide value from the same write.
#define TEST_WHOLE(T, label, make)                                                \
    static void whole_##label(int width) {                                        \
        T shared = make(0);                                                       \
        _Pragma("omp parallel num_threads(width)") for (int i = 0; i < 30; ++i) { \
            T mine = make(omp_get_thread_num()), got;                             \
            _Pragma("omp atomic write") shared = mine;                            \
            _Pragma("omp atomic read") got = shared;                              \
            int found = 0;                                                        \
            for (int k = 0; k < width; ++k) found += got == (T)make(k);           \
            EXPECT_EQ(found, 1);                                                  \
        }                                                                         \
    }

#define SMALL(k) ((k) + 1)
#define WIDE(k) (((k) + 1) * 0x0101010101010101)
#define FRACTION(k) (((k) + 1) * (1.0L + 1.0L / (1ll << 40)))
#define COMPLEX(k) (((k) + 1) * (1.0 + 1.0 * I))

TEST_TICKETS(signed char, i8)
TEST_TICKETS(unsigned char, u8)
TEST_TICKETS(short, i16)
TEST_TICKETS(unsigned, u32)
TEST_TICKETS(long, i64)
TEST_TICKETS(unsigned long long, ull)
TEST_TICKETS(float, f32)
TEST_TICKETS(double, f64)
TEST_TICKETS(long double, f80)
TEST_WHOLE(char, i8, SMALL)
TEST_WHOLE(short, i16, SMALL)
TEST_WHOLE(int, i32, SMALL)
TEST_WHOLE(long, i64, WIDE)
TEST_WHOLE(double, f64, FRACTION)
TEST_WHOLE(long double, f80, FRACTION)
// gcc does not accept a complex operand in C.
#ifdef __clang__
TEST_WHOLE(float _Complex, c32, COMPLEX)
TEST_WHOLE(double _Complex, c64, COMPLEX)
#endif

static void forms(int width) {
    int x = 0, wrong = 0;
    long sum = 0;
#pragma omp parallel num_threads(width) reduction(+ : wrong)
    {
        int v;
#pragma omp atomic capture
        v = x++;
        wrong += v < 0 || v >= width;
#pragma omp barrier
#pragma omp atomic capture
        v = --x;
        wrong += v < 0 || v >= width;
#pragma omp barrier
#pragma omp atomic capture
        {
            x += 2;
            v = x;
        }
        wrong += v % 2 != 0;
#pragma omp barrier
#pragma omp atomic capture
        {
            v = x;
            x = 2 * width;
        }
        wrong += v != 2 * width;
#pragma omp atomic capture seq_cst
        v = sum += 3;
        wrong += v % 3 != 0;
    }
    EXPECT_EQ(wrong, 0);
    EXPECT_EQ(sum, 3 * width);
}

static void orders(int width) {
    int data = 0, flag = 0, count = 0;
#pragma omp parallel num_threads(width)
    {
#pragma omp atomic relaxed
        count++;
#pragma omp atomic update release
        count++;
#pragma omp atomic hint(omp_sync_hint_contended) seq_cst
        count++;
#pragma omp single
        {
            data = 42;
#pragma omp atomic write release
            flag = 1;
        }
        int seen;
#pragma omp atomic read acquire
        seen = flag;
        EXPECT_EQ(seen, 1);
        EXPECT_EQ(data, 42);
    }
    EXPECT_EQ(count, 3 * width);
}

static void compare(int width) {
    int low = 1000, high = -1000, winner = -1, winners = 0;
    unsigned long wide = ~0ul;
#pragma omp parallel num_threads(width) reduction(+ : winners)
    {
        int me = omp_get_thread_num();
#pragma omp atomic compare
        if (low > me) {
            low = me;
        }
#pragma omp atomic compare
        high = high < me ? me : high;
#pragma omp atomic compare
        if (wide > (unsigned long)me + 5) {
            wide = (unsigned long)me + 5;
        }
#pragma omp atomic compare
        if (winner == -1) {
            winner = me;
        }
#pragma omp barrier
        winners += winner == me;
    }
    EXPECT_EQ(low, 0);
    EXPECT_EQ(high, width - 1);
    EXPECT_EQ(wide, 5);
    EXPECT_EQ(winners, 1);
}

int main(void) {
    check("tickets-i8", tickets_i8);
    check("tickets-u8", tickets_u8);
    check("tickets-i16", tickets_i16);
    check("tickets-u32", tickets_u32);
    check("tickets-i64", tickets_i64);
    check("tickets-ull", tickets_ull);
    check("tickets-f32", tickets_f32);
    check("tickets-f64", tickets_f64);
    check("tickets-f80", tickets_f80);
    check("whole-i8", whole_i8);
    check("whole-i16", whole_i16);
    check("whole-i32", whole_i32);
    check("whole-i64", whole_i64);
    check("whole-f64", whole_f64);
    check("whole-f80", whole_f80);
#ifdef __clang__
    check("whole-c32", whole_c32);
    check("whole-c64", whole_c64);
#endif
    check("forms", forms);
    check("orders", orders);
    check("compare", compare);
    return check_done();
}
