// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// omp_target_memcpy_async and omp_target_memcpy_rect_async wait for the tasks that their depend objects name. Objects
// of gcc and of clang differ. Where a runtime lacks the routines there is nothing to check.
// test: flags -D_GNU_SOURCE -ldl
#include <dlfcn.h>
#include "check.h"

#define IN_SINGLE(width) _Pragma("omp parallel num_threads(width)") _Pragma("omp single")

typedef int (*Copy)(void*, const void*, size_t, size_t, size_t, int, int, int, omp_depend_t*);
typedef int (*CopyRect)(void*, const void*, size_t, int, const size_t*, const size_t*, const size_t*, const size_t*,
                        const size_t*, int, int, int, omp_depend_t*);
static Copy copy;
static CopyRect copy_rect;

static void fill(int* data, int count, int from) {
#pragma omp taskyield
    for (int i = 0; i < count; ++i) data[i] = from + i;
}

static void one_object(int width) {
    enum { n = 16 };
    int from[n] = {0}, to[n] = {0}, host = omp_get_initial_device(), after = -1;
    IN_SINGLE(width) {
        // Small numbers behind the object must not be taken for a part of it.
        struct {
            omp_depend_t object;
            size_t behind[2];
        } mine = {.behind = {2, 3}};
        omp_depend_t object;
#pragma omp depobj(object) depend(in : from)
        mine.object = object;
#pragma omp task depend(out : from) shared(from)
        fill(from, n, 1);
        EXPECT_EQ(copy(to, from, (n - 1) * sizeof(int), sizeof(int), 0, host, host, 1, &mine.object), 0);
#pragma omp depobj(object) update(inout)
        mine.object = object;
#pragma omp task depend(out : from) shared(from)
        fill(from, n, 100);
        EXPECT_EQ(copy(to, from, sizeof(int), 0, (n - 1) * sizeof(int), host, host, 1, &mine.object), 0);
#pragma omp task depend(in : from) shared(from, after)
        after = from[0];
#pragma omp taskwait
#pragma omp depobj(object) destroy
        EXPECT_EQ(copy(to, from, 0, 0, 0, host, host, 0, NULL), 0);
    }
    EXPECT_EQ(to[0], 115);
    for (int i = 1; i < n; ++i) EXPECT_EQ(to[i], i);
    EXPECT_EQ(after, 100);
}

// Several objects, one of a mutexinoutset; the copy runs alone of that set.
static void several_objects(int width) {
    enum { n = 8 };
    int first[n] = {0}, second[n] = {0}, to[2][n] = {{0}}, set = 0, host = omp_get_initial_device();
    IN_SINGLE(width) {
        omp_depend_t of_first, of_second, of_set;
#pragma omp depobj(of_first) depend(in : first)
#pragma omp depobj(of_second) depend(inout : second)
#pragma omp depobj(of_set) depend(mutexinoutset : set)
        omp_depend_t all[3] = {of_first, of_second, of_set};
        for (int round = 0; round < 3; ++round) {
#pragma omp task depend(out : first) shared(first) firstprivate(round)
            fill(first, n, 10 * round);
#pragma omp task depend(out : second) shared(second) firstprivate(round)
            fill(second, n, -10 * round);
#pragma omp task depend(mutexinoutset : set) shared(set)
            {
                set++;
                fill(NULL, 0, 0);
                set++;
            }
            size_t volume[2] = {1, n}, to_at[2] = {1, 0}, from_at[2] = {0, 0}, to_dims[2] = {2, n}, from_dims[2] = {1, n};
            EXPECT_EQ(copy_rect(to, first, sizeof(int), 2, volume, to_at, from_at, to_dims, from_dims, host, host, 3, all), 0);
            EXPECT_EQ(set % 2, 0);
            for (int i = 0; i < n; ++i) EXPECT_EQ(to[1][i], 10 * round + i);
            EXPECT_EQ(copy(to[0], second, sizeof second, 0, 0, host, host, 2, all), 0);
            for (int i = 0; i < n; ++i) EXPECT_EQ(to[0][i], -10 * round + i);
        }
#pragma omp taskwait
#pragma omp depobj(of_set) destroy
#pragma omp depobj(of_second) destroy
#pragma omp depobj(of_first) destroy
    }
}

#ifdef __clang__
static void object_of_many(int width) {
    enum { n = 12 };
    int from[n] = {0}, to[n] = {0}, host = omp_get_initial_device();
    IN_SINGLE(width) {
        omp_depend_t all, none;
#pragma omp depobj(all) depend(iterator(int k = 0 : n), in : from[k])
#pragma omp depobj(none) depend(iterator(int k = 0 : 0), in : from[k])
        omp_depend_t both[2] = {none, all};
        for (int i = 0; i < n; ++i) {
#pragma omp task depend(out : from[i]) shared(from) firstprivate(i)
            fill(from + i, 1, i + 1);
        }
        EXPECT_EQ(copy(to, from, 0, 0, 0, host, host, 1, &none), 0);
        EXPECT_EQ(copy(to, from, sizeof from, 0, 0, host, host, 2, both), 0);
#pragma omp taskwait
#pragma omp depobj(none) destroy
#pragma omp depobj(all) destroy
    }
    for (int i = 0; i < n; ++i) EXPECT_EQ(to[i], i + 1);
}
#endif

static void nothing(int width) { (void)width; }

int main(void) {
    *(void**)&copy = dlsym(RTLD_DEFAULT, "omp_target_memcpy_async");
    *(void**)&copy_rect = dlsym(RTLD_DEFAULT, "omp_target_memcpy_rect_async");
    const int there = copy != NULL && copy_rect != NULL;
    check("one-object", there ? one_object : nothing);
    check("several-objects", there ? several_objects : nothing);
#ifdef __clang__
    check("object-of-many", there ? object_of_many : nothing);
#endif
    return check_done();
}
