// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tasks that fork, most of them on a thief, while other threads of the team execute tasks or sleep. The child has tasks of
// its own.
#include <omp.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static long fib(int n) {
    long a, b;
    if (n < 2) return n;
#pragma omp task shared(a)
    a = fib(n - 1);
#pragma omp task shared(b)
    b = fib(n - 2);
#pragma omp taskwait
    return a + b;
}

static int child(void) {
    long result = 0;
#pragma omp parallel num_threads(4)
#pragma omp single
    result = fib(12);
    return result == 144 ? 7 : 1;
}

static int forked(void) {
    int status = 0;
    const pid_t pid = fork();
    if (pid == 0) _exit(child());
    return pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 7;
}

int main(void) {
    int bad = 0;
#pragma omp parallel num_threads(4)
#pragma omp single
    for (int i = 0; i < 20; ++i) {
#pragma omp task shared(bad)
        {
            if (fib(10) != 55 || !forked()) __atomic_add_fetch(&bad, 1, __ATOMIC_RELAXED);
        }
    }
    puts(bad == 0 ? "good" : "bad");
    return bad != 0;
}
