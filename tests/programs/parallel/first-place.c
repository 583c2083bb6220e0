// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An initial thread that is to be bound knows its place before its first region, and runs there (OpenMP 5.2 section 10.1.3).
// test: env OMP_PLACES=cores OMP_PROC_BIND=close
// test: env OMP_PLACES={0},{1} OMP_PROC_BIND=spread
// test: env OMP_PLACES=threads
// test: env OMP_PROC_BIND=false
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "check.h"

// What the initial thread sees before its first region.
static int place, runs_there;

static void look(void) {
    int processors[CPU_SETSIZE];
    unsigned here = 0;
    place = omp_get_place_num();
    if (place < 0) return;
    omp_get_place_proc_ids(place, processors);
    syscall(SYS_getcpu, &here, 0, 0);
    for (int i = 0; i < omp_get_place_num_procs(place); ++i) runs_there |= processors[i] == (int)here;
}

static void first_place(int width) {
    const int outermost = omp_get_level() == 0;
    int of_primary = -2;
    if (omp_get_proc_bind() == omp_proc_bind_false) return;
    EXPECT_EQ(place, 0);
    EXPECT(runs_there);
#pragma omp parallel num_threads(width)
    {
#pragma omp master
        of_primary = omp_get_place_num();
    }
    if (outermost) EXPECT_EQ(of_primary, place);
    if (outermost) EXPECT_EQ(omp_get_place_num(), place);
}

int main(void) {
    look();
    check("first place", first_place);
    return check_done();
}
