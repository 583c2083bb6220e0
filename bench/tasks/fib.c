// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fibonacci numbers by their definition: each call generates two tasks and does nothing else.
#include "work/fib.h"
#include "kernel.h"

static long n;
static long result;
static long expected;
static long made;

static long fib(long k, long depth) {
    long a, b;
    if (k < 2) return k;
    if (depth >= cut_off) return fib_serially(k);
    SPAWN(shared(a) firstprivate(k, depth), a = fib(k - 1, depth + 1));
    SPAWN(shared(b) firstprivate(k, depth), b = fib(k - 2, depth + 1));
#pragma omp taskwait
    return a + b;
}

static void prepare(long size) {
    long a = 0, b = 1, tasks_a = 0, tasks_b = 0;
    n = size;
    for (long i = 0; i < n; i++) {
        const long sum = a + b, tasks_sum = tasks_a + tasks_b + 2;
        a = b;
        b = sum;
        tasks_a = tasks_b;
        tasks_b = tasks_sum;
    }
    expected = a;
    made = tasks_a;
}

static void run(void) { result = fib(n, 0); }

static void check(void) {
    if (result != expected) wrong("fib(%ld) is %ld, not %ld", n, expected, result);
}

static long tasks(void) { return made; }

int main(int argc, char** argv) {
    const struct Kernel kernel = {"fib", 25, "which number", 10, prepare, 0, run, check, tasks};
    return run_kernel(argc, argv, &kernel);
}
