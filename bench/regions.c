// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Many regions of random width and depth. Memory must stay flat, and the runtime must not allocate once as many threads as can
// be have been there at one time. The program's own allocation functions replace the C library's and count calls; memory that
// the runtime maps by itself shows in the size of the address space.
#define _GNU_SOURCE
#include "measure.h"

#include <omp.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { deepest = 3, widest = 8 };

void* __libc_malloc(size_t);
void* __libc_calloc(size_t, size_t);
void* __libc_realloc(void*, size_t);
void* __libc_memalign(size_t, size_t);

static atomic_long allocations;

static void count(void) { atomic_fetch_add_explicit(&allocations, 1, memory_order_relaxed); }

void* malloc(size_t size) {
    count();
    return __libc_malloc(size);
}

void* calloc(size_t number, size_t size) {
    count();
    return __libc_calloc(number, size);
}

void* realloc(void* old, size_t size) {
    count();
    return __libc_realloc(old, size);
}

void* aligned_alloc(size_t alignment, size_t size) {
    count();
    return __libc_memalign(alignment, size);
}

void* memalign(size_t alignment, size_t size) {
    count();
    return __libc_memalign(alignment, size);
}

int posix_memalign(void** result, size_t alignment, size_t size) {
    count();
    *result = __libc_memalign(alignment, size);
    return *result == NULL ? 12 : 0;
}

// The numbers of mapped and of resident pages.
static void memory(long* mapped, long* resident) {
    FILE* file = fopen("/proc/self/statm", "r");
    if (file == NULL || fscanf(file, "%ld %ld", mapped, resident) != 2) *mapped = *resident = 0;
    if (file != NULL) fclose(file);
}

static unsigned next(unsigned* state) {
    *state = *state * 1664525 + 1013904223;
    return *state >> 16;
}

static atomic_long regions;

static void nest(int depth, unsigned seed) {
    const int width = 1 + (int)(next(&seed) % widest);
    atomic_fetch_add_explicit(&regions, 1, memory_order_relaxed);
#pragma omp parallel num_threads(width)
    {
        unsigned mine = seed + 7919 * (unsigned)omp_get_thread_num();
        // About one thread in three opens a nested region.
        if (depth < deepest && next(&mine) % 3 == 0)
            nest(depth + 1, mine);
        else
            empty(depth, width);
    }
}

// The widest and deepest regions, all of whose threads wait for each other: every team and thread that a later region may need
// exists afterwards. With nesting limited, fewer threads come, and they wait for those alone.
static void open_all(void) {
    atomic_int come = 0;
    int expected = 0;
#pragma omp parallel num_threads(widest) reduction(+ : expected)
#pragma omp parallel num_threads(widest) reduction(+ : expected)
#pragma omp parallel num_threads(widest) reduction(+ : expected)
    expected = 1;
#pragma omp parallel num_threads(widest)
#pragma omp parallel num_threads(widest)
#pragma omp parallel num_threads(widest)
    {
        atomic_fetch_add(&come, 1);
        // One thread looks for the others, and lets them run; they wait for it.
#pragma omp critical
        while (atomic_load(&come) < expected) {
#pragma omp taskyield
        }
    }
}

int main(int argc, char** argv) {
    struct Option options[] = {
        {"regions", 10000000, "regions in all"},
        {"first", 200000, "regions after which memory has to be flat"},
        {"limit", 60, "seconds after which it ends with those it has had"},
    };
    read_options(argc, argv, options, 3);
    const long all = (long)options[0].value;
    const long first = (long)options[1].value;
    const double deadline = now_s() + options[2].value;

    unsigned seed = 1;
    while (atomic_load(&regions) < first && now_s() < deadline) nest(1, next(&seed));
    open_all();

    long mapped_before, resident_before, mapped_after, resident_after;
    memory(&mapped_before, &resident_before);
    const long allocated_before = atomic_load(&allocations);
    const long regions_before = atomic_load(&regions);
    const double begin = now_s();
    while (atomic_load(&regions) < regions_before + all && now_s() < deadline) nest(1, next(&seed));
    const double seconds = now_s() - begin;
    const long allocated = atomic_load(&allocations) - allocated_before;
    memory(&mapped_after, &resident_after);
    const double counted = (double)(atomic_load(&regions) - regions_before);

    const double page_kib = (double)sysconf(_SC_PAGESIZE) / 1024;
    json_open("regions");
    json_number("regions", counted);
    json_number("us", 1e6 * seconds / counted);
    json_number("allocations", (double)allocated);
    json_number("mapped_growth_kib", page_kib * (double)(mapped_after - mapped_before));
    json_number("resident_growth_kib", page_kib * (double)(resident_after - resident_before));
    json_close();
    return 0;
}
