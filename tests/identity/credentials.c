// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// setegid and its like, which libc makes on every native thread, and waits until each has: called by a thread of a region
// whose others wait, by several at once, and in serial code while the threads of nested regions are idle. Afterwards every
// native thread of the process has the group that was asked for.
// test: teams 1 2 8 4x8 2x3x4
// test: flags -D_GNU_SOURCE -pthread
// test: reps 5
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <unistd.h>
#include "check.h"

static gid_t own_group, other_group;

// The native threads whose effective group, or whose real one, is another than expected.
static int count_others(gid_t effective) {
    int wrong = 0;
    DIR* const threads = opendir("/proc/self/task");
    if (threads == NULL) return -1;
    for (struct dirent* entry; (entry = readdir(threads)) != NULL;) {
        char path[sizeof "/proc/self/task//status" + sizeof entry->d_name], line[256];
        snprintf(path, sizeof path, "/proc/self/task/%s/status", entry->d_name);
        FILE* const status = entry->d_name[0] != '.' ? fopen(path, "r") : NULL;
        if (status == NULL) continue;  // it has ended
        unsigned real_is, effective_is;
        while (fgets(line, sizeof line, status) != NULL)
            if (sscanf(line, "Gid: %u %u", &real_is, &effective_is) == 2)
                wrong += real_is != own_group || effective_is != effective;
        fclose(status);
    }
    closedir(threads);
    return wrong;
}

// The same, without threads that libc has left out because they were about to end.
static int threads_with_others(gid_t effective) {
    int wrong = count_others(effective);
    for (int look = 0; wrong != 0 && look < 200; ++look) {
        usleep(5000);
        wrong = count_others(effective);
    }
    return wrong;
}

// Only one caller at a time: another's change must not come between a change and its check.
static void change(void) {
#pragma omp critical(group)
    {
        EXPECT_EQ(setegid(other_group), 0);
        EXPECT_EQ(threads_with_others(other_group), 0);
        EXPECT_EQ(setegid(own_group), 0);
        EXPECT_EQ(threads_with_others(own_group), 0);
    }
}

static void by_one_of_a_team(int width) {
#pragma omp parallel num_threads(width)
    {
#pragma omp barrier
        if (omp_get_thread_num() == width / 2) change();
#pragma omp barrier
        if (omp_get_thread_num() == 0) change();
    }
}

// No thread comes to the runtime until the change is made.
static void while_others_spin(int width) {
    int changed = 0;
#pragma omp parallel num_threads(width)
    {
        if (omp_get_thread_num() == width - 1) {
            change();
            __atomic_store_n(&changed, 1, __ATOMIC_RELEASE);
        } else {
            while (!__atomic_load_n(&changed, __ATOMIC_ACQUIRE)) {}
        }
    }
}

static void by_all_at_once(int width) {
#pragma omp parallel num_threads(width)
    {
#pragma omp barrier
        EXPECT_EQ(setegid(getegid()), 0);
        EXPECT_EQ(setreuid(-1, geteuid()), 0);
#pragma omp barrier
    }
}

static void while_others_are_idle(int width) {
#pragma omp parallel num_threads(width)
#pragma omp parallel num_threads(3)
    {
#pragma omp barrier
    }
    usleep(2000);  // some carriers sleep by now
    change();
}

// A change that is refused tells the caller why, and nobody else.
static void refused(int width) {
#pragma omp parallel num_threads(width)
    {
        errno = 0;
#pragma omp barrier
        if (omp_get_thread_num() == width / 2) {
            EXPECT_EQ(setegid((gid_t)-1), -1);
            EXPECT_EQ(errno, EINVAL);
        } else {
            EXPECT_EQ(errno, 0);
        }
#pragma omp barrier
        if (omp_get_thread_num() != width / 2) EXPECT_EQ(errno, 0);
    }
}

int main(void) {
    own_group = getegid();
    other_group = geteuid() == 0 ? own_group + 1 : own_group;  // nobody else may have another
    omp_set_max_active_levels(5);
    check("by-one-of-a-team", by_one_of_a_team);
    check_share("while-others-spin", while_others_spin, 2);
    check("by-all-at-once", by_all_at_once);
    check("while-others-are-idle", while_others_are_idle);
    check("refused", refused);
    return check_done();
}
