// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program that uses no OpenMP: prints how many native threads it has.
#include <dirent.h>
#include <stdio.h>
#include <unistd.h>

int main(void) {
    int count = 0;
    usleep(20000);
    DIR* tasks = opendir("/proc/self/task");
    if (!tasks) return 2;
    for (struct dirent* entry; (entry = readdir(tasks));) count += entry->d_name[0] != '.';
    closedir(tasks);
    printf("%d\n", count);
    return 0;
}
