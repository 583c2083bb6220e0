// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The chunks of a dynamic or guided loop come to each thread in increasing order in what gcc compiles, as with libgomp, though
// gcc calls the entries for chunks in any order: some programs walk along a list meanwhile. And a loop whose iterations wait
// for those before them comes to its end.
//
// test: compilers gcc
#include "check.h"

static void walks_forward(int width) {
    int out_of_order = 0, ran = 0;
    for (int round = 0; round < 30; ++round) {
        const int count = 5 + round * 7;
        int last = -1;
#pragma omp parallel for firstprivate(last) num_threads(width) schedule(dynamic) reduction(+ : out_of_order, ran)
        for (int i = 0; i < count; ++i) {
            out_of_order += i < last;
            last = i;
            ran++;
            for (volatile int work = 0; work < i % 7 * 100; ++work) {}
        }
        last = -1;
#pragma omp parallel for firstprivate(last) num_threads(width) schedule(guided, 2) reduction(+ : out_of_order, ran)
        for (int i = 0; i < count; ++i) {
            out_of_order += i < last;
            last = i;
            ran++;
        }
        ran -= 2 * count;
    }
    EXPECT_EQ(out_of_order, 0);
    EXPECT_EQ(ran, 0);
}

static void waits_for_the_one_before(int width) {
    enum { count = 40 };
    int done = 0;
#pragma omp parallel for num_threads(width) schedule(dynamic)
    for (int i = 0; i < count; ++i) {
        while (__atomic_load_n(&done, __ATOMIC_ACQUIRE) != i) {}
        __atomic_store_n(&done, i + 1, __ATOMIC_RELEASE);
    }
    EXPECT_EQ(done, count);
}

// With the modifier a chunk is taken when it begins, so that another thread begins the one behind it.
static void waits_for_the_one_behind(int width) {
    enum { count = 40 };
    int done[count] = {0};
    if (width < 2) return;
#pragma omp parallel for num_threads(width) schedule(monotonic : dynamic)
    for (int i = 0; i < count; ++i) {
        while (i % 2 == 0 && i >= count / 2 && !__atomic_load_n(&done[i + 1], __ATOMIC_ACQUIRE)) {}
        __atomic_store_n(&done[i], 1, __ATOMIC_RELEASE);
    }
    int missing = 0;
    for (int i = 0; i < count; ++i) missing += !done[i];
    EXPECT_EQ(missing, 0);
}

// Without it, and where iterations are short, its own thread may hold the one behind. Another thread takes it after a while,
// and the others in their order.
static void waits_for_one_that_is_held(int width) {
    enum { count = 400, waiter = 200 };
    int done[count] = {0}, last = -1;
    if (width < 2) return;
#pragma omp parallel for num_threads(width) schedule(dynamic) lastprivate(last)
    for (int i = 0; i < count; ++i) {
        while (i == waiter && !__atomic_load_n(&done[i + 4], __ATOMIC_ACQUIRE)) {}
        __atomic_fetch_add(&done[i], 1, __ATOMIC_RELEASE);
        last = i;
    }
    int wrong = 0;
    for (int i = 0; i < count; ++i) wrong += done[i] != 1;
    EXPECT_EQ(wrong, 0);
    EXPECT_EQ(last, count - 1);
}

int main(void) {
    check("walks-forward", walks_forward);
    check("waits-for-the-one-before", waits_for_the_one_before);
    check("waits-for-the-one-behind", waits_for_the_one_behind);
    check_share("waits-for-one-that-is-held", waits_for_one_that_is_held, 100);
    return check_done();
}
