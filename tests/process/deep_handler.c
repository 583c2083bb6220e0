// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A signal handler that asks for an alternate stack, in a program that gives its threads none, and has large frames: it runs on
// the runtime's, once the initial thread has opened a region. Blocks of the heap beside must stay as they are.
#include <alloca.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { frame = 96 << 10, blocks = 200 };

static int handled;

static void handle(int number) {
    volatile char* const array = alloca(frame);
    for (int at = 0; at < frame; at += 64) array[at] = 0x5a;
    handled += number == SIGUSR1 && array[frame / 2] == 0x5a;
}

int main(void) {
    struct sigaction action = {.sa_handler = handle, .sa_flags = SA_ONSTACK};
    sigaction(SIGUSR1, &action, NULL);
    int threads = 0, kept = 0;
#pragma omp parallel num_threads(4) reduction(+ : threads)
    threads++;
    char* block[blocks];
    for (int i = 0; i < blocks; ++i) block[i] = memset(malloc(400), 1, 400);
    raise(SIGUSR1);
    for (int i = 0; i < blocks; ++i) {
        int same = 1;
        for (int at = 0; at < 400; ++at) same &= block[i][at] == 1;
        kept += same;
        free(block[i]);
    }
#pragma omp parallel num_threads(4) reduction(+ : threads)
    threads++;
    puts(threads == 8 && kept == blocks && handled == 1 ? "good" : "bad");
    return 0;
}
