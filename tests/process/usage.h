// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The process's native threads and resident memory at this moment.
#pragma once

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

__attribute__((unused)) static int native_threads(void) {
    int count = 0;
    DIR* tasks = opendir("/proc/self/task");
    for (struct dirent* entry; tasks && (entry = readdir(tasks));) count += entry->d_name[0] != '.';
    if (tasks) closedir(tasks);
    return count;
}

// The number of native threads with this name. A new thread inherits its creator's name.
__attribute__((unused)) static int native_threads_named(const char* name) {
    int count = 0;
    DIR* tasks = opendir("/proc/self/task");
    for (struct dirent* entry; tasks && (entry = readdir(tasks));) {
        char path[300], line[32] = "";
        snprintf(path, sizeof path, "/proc/self/task/%s/comm", entry->d_name);
        FILE* file = fopen(path, "r");
        if (file && fgets(line, sizeof line, file)) line[strcspn(line, "\n")] = 0;
        if (file) fclose(file);
        count += strcmp(line, name) == 0;
    }
    if (tasks) closedir(tasks);
    return count;
}

// Without the workers, and the threads that these have made: a worker that sleeps needs one of its own when it has been woken
// for the first time, and on a busy machine that may be any moment.
__attribute__((unused)) static int threads_but_workers(void) { return native_threads() - native_threads_named("gossamer"); }

__attribute__((unused)) static long resident_kib(void) {
    long pages = 0, resident = 0;
    FILE* file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%ld %ld", &pages, &resident) != 2) exit(2);
    fclose(file);
    return resident * (sysconf(_SC_PAGESIZE) / 1024);
}
