// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loads two OpenMP libraries built by different compilers and checks that one runtime serves both. Arguments:
// the two libraries, each followed by the prefix of its functions.
#include "usage.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    int (*max_threads)(void);
    void (*set_threads)(int);
    long (*sum)(int, int);
    int (*level)(void);
    long (*nest)(int, long (*)(int, int), int*, int (*)(void));
} Plugin;

static void* symbol(void* library, const char* prefix, const char* name) {
    char full[100];
    snprintf(full, sizeof full, "%s_%s", prefix, name);
    void* found = dlsym(library, full);
    if (!found) {
        fprintf(stderr, "%s\n", dlerror());
        exit(2);
    }
    return found;
}

static Plugin load(const char* path, const char* prefix) {
    void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        fprintf(stderr, "%s\n", dlerror());
        exit(2);
    }
    Plugin plugin;
    *(void**)&plugin.max_threads = symbol(library, prefix, "max_threads");
    *(void**)&plugin.set_threads = symbol(library, prefix, "set_threads");
    *(void**)&plugin.sum = symbol(library, prefix, "sum");
    *(void**)&plugin.level = symbol(library, prefix, "level");
    *(void**)&plugin.nest = symbol(library, prefix, "nest");
    return plugin;
}

// The number of distinct mapped files with an OpenMP runtime's name.
static int mapped_runtimes(void) {
    char seen[8][PATH_MAX], line[PATH_MAX + 200];
    int count = 0;
    FILE* maps = fopen("/proc/self/maps", "r");
    while (maps && fgets(line, sizeof line, maps)) {
        char* path = strchr(line, '/');
        if (!path || !strstr(line, "r-xp")) continue;
        path[strcspn(path, "\n")] = 0;
        const char* name = strrchr(path, '/') + 1;
        if (strncmp(name, "libgomp", 7) != 0 && strncmp(name, "libomp", 6) != 0 && strncmp(name, "libiomp", 7) != 0) continue;
        int known = 0;
        for (int i = 0; i < count; ++i) known |= strcmp(seen[i], path) == 0;
        if (!known && count < 8) strcpy(seen[count++], path);
    }
    if (maps) fclose(maps);
    return count;
}

int main(int argc, char** argv) {
    if (argc < 5) return 2;
    Plugin first = load(argv[1], argv[2]), second = load(argv[3], argv[4]);
    printf("runtimes %d\n", mapped_runtimes());
    first.set_threads(5);
    printf("seen by the other %d\n", second.max_threads());
    second.set_threads(3);
    printf("and back %d\n", first.max_threads());
    long good = 0;
    good += first.sum(6, 100) == 4950;
    int after_first = threads_but_workers();
    good += second.sum(6, 100) == 4950;
    printf("more threads for the second %s\n", threads_but_workers() > after_first ? "yes" : "no");
    int levels = 0;
    good += first.nest(3, second.sum, &levels, second.level) == 135;
    printf("level seen inside %d\n", levels);
    good += second.nest(3, first.sum, &levels, first.level) == 135;
    printf("level seen inside %d\n", levels);
    printf("sums %ld\n", good);
    return 0;
}
