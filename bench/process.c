// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A whole process, from its start to its end: the cost of the runtime for a short program, which has no region, one region, or
// one region with a task.
#include "measure.h"

#include <omp.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

extern char** environ;

enum Work { nothing, a_region, a_task };
static const char child[] = "child";

// The work of the process.
static int run(enum Work work) {
    if (work == nothing) return 0;
    int executed = 0;
#pragma omp parallel
#pragma omp single
    {
        if (work == a_task) {
#pragma omp task shared(executed)
            executed = 1;
        }
    }
    return work == a_task && executed != 1;
}

static void pass(void* context) {
    char work[16];
    snprintf(work, sizeof work, "%d", *(const int*)context);
    char* const arguments[] = {(char*)"process", (char*)child, work, NULL};
    pid_t process;
    int status = 1;
    const int code = posix_spawn(&process, "/proc/self/exe", NULL, NULL, arguments, environ);
    if (code != 0) wrong("no process can be started: %s", strerror(code));
    if (waitpid(process, &status, 0) != process || status != 0) wrong("a process has failed with status %d", status);
}

int main(int argc, char** argv) {
    if (argc == 3 && strcmp(argv[1], child) == 0) return run((enum Work)atoi(argv[2]));
    struct Option options[] = {{"work", a_region, "0: no region; 1: one; 2: one with a task"}};
    const struct Budget budget = read_options(argc, argv, options, 1);
    int work = (int)options[0].value;
    const struct Timing timing = measure(pass, &work, &budget);

    json_open("process");
    json_number("work", work);
    json_timing(&timing);
    json_close();
    return 0;
}
