// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The thread whose turn it is forks, while all other threads of the team sleep until their turns. The child ends the turn,
// the loop and the region alone, and opens regions of its own.
#include <omp.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { threads = 8 };

static pid_t pid;
static int passed;

// Checks that no other thread of the parent's loop passes a turn in the child.
static int child(void) {
    const int passed_then = passed;
    int sum = 0;
#pragma omp parallel for ordered schedule(static, 1) num_threads(threads) reduction(+ : sum)
    for (int i = 0; i < 10 * threads; ++i) {
#pragma omp ordered
        sum += i;
    }
    if (passed_then == 0 || passed != passed_then) return 2;
    return sum == 10 * threads * (10 * threads - 1) / 2 ? 7 : 1;
}

int main(void) {
    int bad = 0;
    for (int round = 0; round < 20; ++round) {
        passed = 0;
#pragma omp parallel for ordered schedule(static, 1) num_threads(threads)
        for (int i = 0; i < threads; ++i) {
#pragma omp ordered
            {
                if (i == 0) {
                    usleep(5000);
                    pid = fork();
                }
                ++passed;
            }
        }
        if (pid == 0) _exit(child());
        int status = 0;
        bad |= pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status) || WEXITSTATUS(status) != 7 || passed != threads;
    }
    puts(bad ? "bad" : "good");
    return bad;
}
