// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Values that a loop gives out: lastprivate (plain, conditional, with firstprivate, in sections), linear, scan,
// simd, loop.
//
// libomp 19 loses the last iteration's value when its nonmonotonic dynamic schedule steals:
// test: peer-skip clang lastprivate-dynamic
#include "check.h"

static void lastprivate_dynamic(int width) {
    int last = -1, square = -1;
    double array[3] = {0, 0, 0};
#pragma omp parallel for num_threads(width) lastprivate(last, square, array) schedule(dynamic, 3)
    for (int i = 0; i < 101; ++i) {
        last = i;
        square = i * i;
        array[1] = i + 0.5;
    }
    EXPECT_EQ(last, 100);
    EXPECT_EQ(square, 10000);
    EXPECT(array[1] == 100.5);
}

static void lastprivate(int width) {
    int last = -1;
#pragma omp parallel for num_threads(width) lastprivate(last) schedule(static)
    for (int i = 0; i < 3; ++i) last = i * 10;
    EXPECT_EQ(last, 20);
#pragma omp parallel for num_threads(width) lastprivate(last) schedule(guided)
    for (long i = 50; i > 3; i -= 5) last = (int)i;
    EXPECT_EQ(last, 5);
}

static void with_firstprivate(int width) {
    int value = 5;
#pragma omp parallel num_threads(width)
    {
#pragma omp for firstprivate(value) lastprivate(value) schedule(static, 2)
        for (int i = 0; i < 40; ++i)
            if (i == 39) value += 100;
        EXPECT_EQ(value, 105);
    }
}

static void in_sections(int width) {
    int value = 0;
#pragma omp parallel sections num_threads(width) lastprivate(value)
    {
#pragma omp section
        value = 1;
#pragma omp section
        value = 2;
#pragma omp section
        value = 3;
    }
    EXPECT_EQ(value, 3);
}

// clang 19's own code, not the runtime, leaves the variable undefined here.
#ifndef __clang__
static void conditional(int width) {
    int found = -1;
#pragma omp parallel for num_threads(width) lastprivate(conditional : found) schedule(static, 3)
    for (int i = 0; i < 100; ++i)
        if (i % 31 == 7) found = i;
    EXPECT_EQ(found, 69);
}
#endif

static void linear(int width) {
    int at = 10, values[50];
#pragma omp parallel num_threads(width)
    {
#pragma omp for linear(at : 3) schedule(static)
        for (int i = 0; i < 50; ++i) {
            values[i] = at;
            at += 3;
        }
    }
    for (int i = 0; i < 50; ++i) EXPECT_EQ(values[i], 10 + 3 * i);
    EXPECT_EQ(at, 160);
}

static void scan(int width) {
    int in[128], inclusive[128], exclusive[128], sum = 0;
    for (int i = 0; i < 128; ++i) in[i] = i % 9;
#pragma omp parallel for num_threads(width) reduction(inscan, + : sum)
    for (int i = 0; i < 128; ++i) {
        sum += in[i];
#pragma omp scan inclusive(sum)
        inclusive[i] = sum;
    }
    int total = sum;
    sum = 0;
#pragma omp parallel for num_threads(width) reduction(inscan, + : sum)
    for (int i = 0; i < 128; ++i) {
        exclusive[i] = sum;
#pragma omp scan exclusive(sum)
        sum += in[i];
    }
    int want = 0;
    for (int i = 0; i < 128; ++i) {
        EXPECT_EQ(exclusive[i], want);
        want += in[i];
        EXPECT_EQ(inclusive[i], want);
    }
    EXPECT_EQ(total, want);
}

static void simd(int width) {
    float a[203];
    float sum = 0;
#pragma omp parallel for simd num_threads(width) simdlen(4) schedule(simd : static, 5)
    for (int i = 0; i < 203; ++i) a[i] = (float)i;
#pragma omp parallel for simd num_threads(width) reduction(+ : sum) schedule(dynamic, 16)
    for (int i = 0; i < 203; ++i) sum += a[i];
    EXPECT(sum == 20503.0f);
}

static void loop_construct(int width) {
    int hits[77] = {0};
#pragma omp parallel num_threads(width)
    {
#pragma omp loop bind(parallel)
        for (int i = 0; i < 77; ++i) hits[i] += 1;
    }
    for (int i = 0; i < 77; ++i) EXPECT_EQ(hits[i], 1);
}

int main(void) {
    check("lastprivate", lastprivate);
    check("lastprivate-dynamic", lastprivate_dynamic);
    check("with-firstprivate", with_firstprivate);
    check("in-sections", in_sections);
#ifndef __clang__
    check("conditional", conditional);
#endif
    check("linear", linear);
    check("scan", scan);
    check("simd", simd);
    check("loop-construct", loop_construct);
    return check_done();
}
