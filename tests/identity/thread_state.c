// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An OpenMP thread keeps the state that libc keeps for a thread: __thread variables, errno, pthread_self,
// thread-specific data, stack bounds, ids. It keeps them across barriers, nested regions, locks and tasks
// that may move it to another carrier.
// test: teams 1 2 8 16 4x8 2x3x4 8x16
// test: flags -D_GNU_SOURCE -pthread
// test: reps 20
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <unistd.h>
#include "check.h"

static __thread int zeroed;
static __thread int initialised = 1234;
static __thread char buffer[3000];

// Points where a thread may suspend and go on elsewhere. All threads of a region must call this.
static void go_round(void) {
#pragma omp barrier
#pragma omp parallel num_threads(2)
    {
#pragma omp barrier
    }
#pragma omp critical(identity_round)
    {
        volatile int work = 20;
        while (work > 0) work = work - 1;
    }
#pragma omp task
    {
        volatile int nothing = 0;
        (void)nothing;
    }
#pragma omp taskwait
#pragma omp taskyield
#pragma omp for ordered schedule(dynamic)
    for (int i = 0; i < 8; ++i) {
#pragma omp ordered
        {
            volatile int nothing = 0;
            (void)nothing;
        }
    }
#pragma omp barrier
}

static void thread_variables(int width) {
    uintptr_t addresses[64];
#pragma omp parallel num_threads(width)
    {
        int me = omp_get_thread_num(), mark = omp_get_level() * 1000 + me;
        addresses[me] = (uintptr_t)&zeroed;
        zeroed = mark;
        initialised = -mark;
        memset(buffer, me, sizeof buffer);
        for (int round = 0; round < 3; ++round) {
            go_round();
            EXPECT_EQ(zeroed, mark);
            EXPECT_EQ(initialised, -mark);
            EXPECT_EQ((unsigned char)buffer[2999], me);
            EXPECT_EQ(addresses[me], (uintptr_t)&zeroed);
        }
        for (int i = 0; i < width; ++i) EXPECT(i == me || addresses[i] != addresses[me]);
#pragma omp barrier
    }
}

static void own_errno(int width) {
    int* addresses[64];
#pragma omp parallel num_threads(width)
    {
        int me = omp_get_thread_num();
        addresses[me] = &errno;
        errno = 100 + me;
#pragma omp barrier
        EXPECT_EQ(errno, 100 + me);
        for (int i = 0; i < width; ++i) EXPECT(i == me || addresses[i] != addresses[me]);
        // The thread that makes a system call gets its error.
        if (me % 2 == 0) {
            EXPECT_EQ(close(-1), -1);
        } else {
            char nothing;
            EXPECT_EQ(pread(STDIN_FILENO, &nothing, 1, -5), -1);
        }
        // A negative offset, or a pipe where a program's input is one.
        int error = errno;
        EXPECT(me % 2 == 0 ? error == EBADF : error == EINVAL || error == ESPIPE || error == EBADF);
        go_round();
        errno = 100 + me;
        go_round();
        EXPECT_EQ(errno, 100 + me);
    }
}

// A thread's errno survives the system calls that the runtime makes when the thread suspends.
static void errno_across_locks(int width) {
    omp_lock_t lock;
    omp_init_lock(&lock);
#pragma omp parallel num_threads(width)
    {
        int me = omp_get_thread_num();
        for (int i = 0; i < 10; ++i) {
            errno = 200 + me;
            omp_set_lock(&lock);
            EXPECT_EQ(errno, 200 + me);
            volatile int work = 200;
            while (work > 0) work = work - 1;
            omp_unset_lock(&lock);
            EXPECT_EQ(errno, 200 + me);
        }
    }
    omp_destroy_lock(&lock);
}

static void self(int width) {
    pthread_t selves[64];
#pragma omp parallel num_threads(width)
    {
        int me = omp_get_thread_num();
        pthread_t mine = pthread_self();
        selves[me] = mine;
        for (int round = 0; round < 2; ++round) {
            go_round();
            EXPECT(pthread_equal(pthread_self(), mine));
        }
        for (int i = 0; i < width; ++i) EXPECT(i == me || !pthread_equal(selves[i], mine));
#pragma omp barrier
    }
}

static pthread_key_t key;

static void specific(int width) {
#pragma omp parallel num_threads(width)
    {
        int me = omp_get_thread_num();
        EXPECT_EQ(pthread_setspecific(key, (void*)(intptr_t)(me + 1)), 0);
        for (int round = 0; round < 2; ++round) {
            go_round();
            EXPECT_EQ((intptr_t)pthread_getspecific(key), me + 1);
        }
        pthread_setspecific(key, NULL);
    }
}

static void many_keys(int width) {
    enum { n = 50 };
    pthread_key_t keys[n];
    for (int i = 0; i < n; ++i) EXPECT_EQ(pthread_key_create(&keys[i], NULL), 0);
#pragma omp parallel num_threads(width)
    {
        intptr_t me = omp_get_thread_num() + 1;
        for (int i = 0; i < n; ++i) pthread_setspecific(keys[i], (void*)(me * 1000 + i));
#pragma omp barrier
        for (int i = 0; i < n; ++i) EXPECT_EQ((intptr_t)pthread_getspecific(keys[i]), me * 1000 + i);
    }
    for (int i = 0; i < n; ++i) pthread_key_delete(keys[i]);
}

static void within_bounds(void) {
    pthread_attr_t attributes;
    void* low = NULL;
    size_t size = 0;
    char here;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0) {
        EXPECT(0 && "pthread_getattr_np");
        return;
    }
    EXPECT_EQ(pthread_attr_getstack(&attributes, &low, &size), 0);
    EXPECT((uintptr_t)&here >= (uintptr_t)low && (uintptr_t)&here < (uintptr_t)low + size);
    EXPECT(size >= 65536);
    pthread_attr_destroy(&attributes);
}

static void stack_bounds(int width) {
#pragma omp parallel num_threads(width)
    {
        within_bounds();
#pragma omp barrier
        within_bounds();
#pragma omp parallel num_threads(2)
        {
            within_bounds();
#pragma omp barrier
            within_bounds();
        }
        go_round();
        within_bounds();
    }
}

static __attribute__((noinline)) int deep_frame(int me) {
    volatile char large[1 << 20];
    for (int i = 0; i < (1 << 20); i += 4096) large[i] = (char)me;
#pragma omp barrier
    int wrong = 0;
    for (int i = 0; i < (1 << 20); i += 4096) wrong += large[i] != (char)me;
    return wrong;
}

static void a_mebibyte_of_locals(int width) {
#pragma omp parallel num_threads(width)
    EXPECT_EQ(deep_frame(omp_get_thread_num()), 0);
}

static void cpu_number(int width) {
    long cpus = sysconf(_SC_NPROCESSORS_CONF);
#pragma omp parallel num_threads(width)
    for (int i = 0; i < 5; ++i) {
        int cpu = sched_getcpu();
        EXPECT(cpu >= 0 && cpu < cpus);
#pragma omp barrier
    }
}

static void memory(int width) {
    void* passed[64];
#pragma omp parallel num_threads(width)
    {
        int me = omp_get_thread_num();
        for (int round = 0; round < 5; ++round) {
            char* block = (char*)malloc((size_t)(100 + me * 50 + round * 1000));
            EXPECT(block != NULL);
            memset(block, me, (size_t)(100 + me * 50));
            passed[me] = block;
#pragma omp barrier
            char* other = (char*)passed[(me + 1) % width];
            EXPECT_EQ((unsigned char)other[60], (me + 1) % width);
            free(other);
#pragma omp barrier
        }
    }
}

int main(void) {
    pthread_key_create(&key, NULL);
    check("thread-variables", thread_variables);
    check("own-errno", own_errno);
    check("errno-across-locks", errno_across_locks);
    check("self", self);
    check("specific", specific);
    check("many-keys", many_keys);
    check_share("stack-bounds", stack_bounds, 4);
    check_share("a-mebibyte-of-locals", a_mebibyte_of_locals, 4);
    check("cpu-number", cpu_number);
    check("memory", memory);
    return check_done();
}
