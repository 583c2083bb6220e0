// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Binding to places: a bound thread runs at its place only, before and after it waits, and its place follows from its number
// by the rules of OpenMP 5.2 section 10.1.3.
// test: env OMP_PROC_BIND=close,close,close
// test: env OMP_PROC_BIND=spread,close,primary
// test: env OMP_PROC_BIND=primary,spread,spread
// test: env OMP_PROC_BIND=spread,spread,spread OMP_PLACES={0},{1}
// test: env OMP_PLACES=threads
// test: env OMP_PLACES=sockets OMP_PROC_BIND=close,close,close
// test: env OMP_PROC_BIND=false
// test: reps 4
// The peers are wrong: clang passes another number for proc_bind(primary) than libomp expects; libgomp loses a place of true.
// test: peer-none gcc
// test: peer-none clang
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "check.h"

// Asks the kernel, because glibc's answer may be another thread's.
static int here(void) {
    unsigned cpu = 0;
    syscall(SYS_getcpu, &cpu, 0, 0);
    return (int)cpu;
}

static void expect_in_place(int place) {
    cpu_set_t mask;
    CPU_ZERO(&mask);
    int count = omp_get_place_num_procs(place), found = 0;
    int* ids = (int*)malloc((size_t)(count + 1) * sizeof(int));
    omp_get_place_proc_ids(place, ids);
    EXPECT(syscall(SYS_sched_getaffinity, 0, sizeof mask, &mask) > 0);
    EXPECT_EQ(CPU_COUNT(&mask), count);
    EXPECT_EQ(pthread_getaffinity_np(pthread_self(), sizeof mask, &mask), 0);
    EXPECT_EQ(CPU_COUNT(&mask), count);
    for (int i = 0; i < count; ++i) {
        EXPECT(CPU_ISSET(ids[i], &mask));
        found += ids[i] == here();
    }
    if (count == 1)  // else the thread may have moved between the two questions
        EXPECT_EQ(found, 1);
    free(ids);
}

static void expect_in_partition(int place) {
    int count = omp_get_partition_num_places(), found = 0;
    int* nums = (int*)malloc((size_t)(count + 1) * sizeof(int));
    omp_get_partition_place_nums(nums);
    for (int i = 0; i < count; ++i) found += nums[i] == place;
    EXPECT_EQ(found, 1);
    free(nums);
}

static void stays(int width) {
    long sum = 0;
#pragma omp parallel num_threads(width) reduction(+ : sum)
    {
        int place = omp_get_place_num();
        if (place >= 0 && omp_get_proc_bind() != omp_proc_bind_false) {
            expect_in_place(place);
            expect_in_partition(place);
        }
#pragma omp barrier
#pragma omp for schedule(dynamic)
        for (int i = 0; i < 50; ++i) sum += i;
#pragma omp critical
        sum += 0;
        EXPECT_EQ(omp_get_place_num(), place);
        if (place >= 0 && omp_get_proc_bind() != omp_proc_bind_false) expect_in_place(place);
    }
    EXPECT_EQ(sum, 49 * 25);
}

static void primary_clause(int width) {
    int before = omp_get_place_num();
#pragma omp parallel num_threads(width) proc_bind(primary)
    {
        int first = -2;
#pragma omp single copyprivate(first)
        first = omp_get_place_num();
        EXPECT_EQ(omp_get_place_num(), first);
        if (before >= 0 && omp_get_level() > 1) EXPECT_EQ(first, before);
    }
}

static void clause(int width, int spread) {
    int places = 0, *place = (int*)malloc((size_t)width * sizeof(int)), bound = 0, first = -1, last = -1;
    int* load;
    if (omp_get_proc_bind() == omp_proc_bind_false) {
        free(place);
        return;
    }
    places = omp_get_partition_num_places();
    int* nums = (int*)malloc((size_t)(places + 1) * sizeof(int));
    omp_get_partition_place_nums(nums);
    first = nums[0];
    last = nums[places - 1];
    free(nums);
    if (spread) {
#pragma omp parallel num_threads(width) proc_bind(spread) reduction(+ : bound)
        {
            place[omp_get_thread_num()] = omp_get_place_num();
            bound += omp_get_place_num() >= 0;
            EXPECT_EQ(omp_get_partition_num_places() <= (places + width - 1) / width, 1);
        }
    } else {
#pragma omp parallel num_threads(width) proc_bind(close) reduction(+ : bound)
        {
            place[omp_get_thread_num()] = omp_get_place_num();
            bound += omp_get_place_num() >= 0;
            EXPECT_EQ(omp_get_partition_num_places(), places);
        }
    }
    EXPECT_EQ(bound, width);
    load = (int*)calloc((size_t)(last + 1), sizeof(int));
    for (int num = 0; num < width; ++num) {
        EXPECT(place[num] >= first && place[num] <= last);
        if (place[num] >= first && place[num] <= last) ++load[place[num]];
    }
    for (int at = first; at <= last; ++at) {
        EXPECT(load[at] <= (width + places - 1) / places);
        EXPECT(load[at] >= width / places);
    }
    free(load);
    free(place);
}

static void close_clause(int width) { clause(width, 0); }
static void spread_clause(int width) { clause(width, 1); }

int main(void) {
    check("stays", stays);
    check("primary", primary_clause);
    check("close", close_clause);
    check("spread", spread_clause);
    return check_done();
}
