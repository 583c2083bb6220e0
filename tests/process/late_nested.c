// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A library with a nested function whose address is taken: it wants executable stacks. late_executable.c opens it.
static __attribute__((noinline)) int applied(int (*function)(int), int value) { return function(value); }

int sum_of(int added);
int sum_of(int added) {
    int add(int value) { return value + added; }
    return applied(add, 1);
}
