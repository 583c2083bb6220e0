// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Signals that one thread sends to another: while that one computes, waits in a barrier or executes a task, by a thread of the
// team or by another one; a stop of all threads in the manner of a garbage collector; interrupted system calls; masks.
// test: flags -D_GNU_SOURCE -pthread
// test: reps 3
// test: gossamer-env GOSSAMER_ONE_TO_ONE=true
// ThreadSanitizer keeps a signal until the thread's next call of libc, and handlers here wait for each other:
// test: races computing in-a-barrier in-a-task from-outside between-regions stop-the-world interrupted-call
// libgomp ends the threads of nested teams:
// test: peer-skip gcc between-regions
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>
#include "check.h"

enum { most = 16 };
#define SIG_STOP SIGPWR
#define SIG_GO SIGXCPU

struct World;

struct Member {
    struct World* world;
    pthread_t thread;
    atomic_int got;    // signals
    atomic_int wrong;  // signals that ran with another thread's identity or on another stack
    char *low, *high;  // the thread's stack
    atomic_int done, going;
    atomic_long steps;
    int ends[2];
};

struct World {
    struct World* before;
    int width;
    atomic_int here, epoch, last;
    sem_t acks;
    struct Member members[most];
};

static __thread struct Member* volatile me;

static void note(struct Member* member) {
    char here;
    if (!pthread_equal(pthread_self(), member->thread)) atomic_fetch_add(&member->wrong, 1);
    if (&here < member->low || &here >= member->high) atomic_fetch_add(&member->wrong, 1);
}

static void on_signal(int number) {
    (void)number;
    note(me);
    atomic_fetch_add(&me->got, 1);
}

static void on_stop(int number) {
    (void)number;
    const int saved = errno;
    struct Member* const member = me;
    note(member);
    const int epoch = atomic_load(&member->world->epoch);
    sem_post(&member->world->acks);
    sigset_t all_but_go;
    sigfillset(&all_but_go);
    sigdelset(&all_but_go, SIG_GO);
    while (atomic_load(&member->going) != epoch) sigsuspend(&all_but_go);
    sem_post(&member->world->acks);
    errno = saved;
}

static void on_go(int number) {
    (void)number;
    note(me);
    atomic_store(&me->going, atomic_load(&me->world->epoch));
}

static _Atomic(struct World*) last_world;

// Never freed: a signal may come late. All are kept in a list, where leak checkers see them.
static struct World* new_world(int width) {
    struct World* const world = calloc(1, sizeof *world);
    world->width = width;
    sem_init(&world->acks, 0, 0);
    world->before = atomic_exchange(&last_world, world);
    return world;
}

// Each thread, at the beginning of a region.
static void enrol_as(struct World* world, struct Member* member) {
    member->world = world;
    member->thread = pthread_self();
    pthread_attr_t attributes;
    void* low;
    size_t size;
    EXPECT_EQ(pthread_getattr_np(pthread_self(), &attributes), 0);
    pthread_attr_getstack(&attributes, &low, &size);
    pthread_attr_destroy(&attributes);
    member->low = low;
    member->high = member->low + size;
    me = member;
    atomic_fetch_add(&world->here, 1);
}

static struct Member* enrol(struct World* world) {
    struct Member* const member = &world->members[omp_get_thread_num()];
    enrol_as(world, member);
    return member;
}

static void await_all(struct World* world) {
    while (atomic_load(&world->here) < world->width) sched_yield();
}

static void send_to(struct Member* member, int number) { EXPECT_EQ(pthread_kill(member->thread, number), 0); }

static void await_got(struct Member* member, int count) {
    while (atomic_load(&member->got) < count) usleep(100);
}

static void expect_right(struct World* world, int got) {
    for (int i = 0; i < world->width; ++i) {
        EXPECT_EQ(atomic_load(&world->members[i].got), got);
        EXPECT_EQ(atomic_load(&world->members[i].wrong), 0);
    }
}

static void computing(int width) {
    struct World* const world = new_world(width);
#pragma omp parallel num_threads(width)
    {
        struct Member* const member = enrol(world);
        if (omp_get_thread_num() == 0) {
            await_all(world);
            for (int i = 0; i < width; ++i) send_to(&world->members[i], SIGUSR1);
        }
        while (atomic_load(&member->got) == 0) {}
    }
    expect_right(world, 1);
}

static void in_a_barrier(int width) {
    struct World* const world = new_world(width);
#pragma omp parallel num_threads(width)
    {
        enrol(world);
        for (int round = 1; round <= 3; ++round) {
            if (omp_get_thread_num() == 0) {
                await_all(world);
                usleep(500);  // most of them wait by then
                for (int i = 0; i < width; ++i) send_to(&world->members[i], SIGUSR1);
                for (int i = 0; i < width; ++i) await_got(&world->members[i], round);
            }
#pragma omp barrier
        }
    }
    expect_right(world, 3);
}

static void in_a_task(int width) {
    struct World* const world = new_world(width);
#pragma omp parallel num_threads(width)
    {
        struct Member* const member = enrol(world);
        if (omp_get_thread_num() == 0) {
            await_all(world);
            for (int i = 0; i < width; ++i) send_to(&world->members[i], SIGUSR1);
        }
#pragma omp task firstprivate(member)
        while (atomic_load(&member->got) == 0) sched_yield();
#pragma omp taskwait
    }
    expect_right(world, 1);
}

static void* send_to_all(void* argument) {
    struct World* const world = argument;
    await_all(world);
    for (int i = 0; i < world->width; ++i) send_to(&world->members[i], SIGUSR1);
    for (int i = 0; i < world->width; ++i) await_got(&world->members[i], 1);
    atomic_store(&world->last, 1);
    return NULL;
}

// Every other thread computes; the rest wait in a barrier.
static void from_outside(int width) {
    struct World* const world = new_world(width);
    pthread_t sender;
    EXPECT_EQ(pthread_create(&sender, NULL, send_to_all, world), 0);
#pragma omp parallel num_threads(width)
    {
        enrol(world);
        if (omp_get_thread_num() % 2 == 0)
            while (!atomic_load(&world->last)) {}
#pragma omp barrier
    }
    pthread_join(sender, NULL);
    expect_right(world, 1);
}

static void on_call(int number) {
    (void)number;
    note(me);
    sem_post(&me->world->acks);
}

static void await_ack(struct World* world) {
    while (sem_wait(&world->acks) != 0) {}
}

// Threads that are in no region; a nested one that has none may serve several.
static void between_regions(int width) {
    if (omp_get_level() != 0) return;
    struct World* const world = new_world(2 * width);
    for (int region = 0; region < 3; ++region) {
#pragma omp parallel num_threads(2)
        {
            struct Member* const first = &world->members[omp_get_thread_num() * width];
#pragma omp parallel num_threads(width)
            enrol_as(world, first + omp_get_thread_num());
        }
        for (int i = 0; i < 2 * width; ++i) {
            if (pthread_equal(world->members[i].thread, pthread_self())) continue;
            send_to(&world->members[i], SIGUSR2);
            await_ack(world);
        }
    }
    for (int i = 0; i < 2 * width; ++i) EXPECT_EQ(atomic_load(&world->members[i].wrong), 0);
}

static void await_acks(struct World* world) {
    for (int left = world->width - 1; left > 0;) left -= sem_wait(&world->acks) == 0;
}

static void collect(struct World* world, struct Member* collector) {
    atomic_fetch_add(&world->epoch, 1);
    for (int i = 0; i < world->width; ++i)
        if (&world->members[i] != collector) send_to(&world->members[i], SIG_STOP);
    await_acks(world);
    long before[most];
    for (int i = 0; i < world->width; ++i) before[i] = atomic_load(&world->members[i].steps);
    usleep(200);
    for (int i = 0; i < world->width; ++i) EXPECT_EQ(atomic_load(&world->members[i].steps), before[i]);
    for (int i = 0; i < world->width; ++i)
        if (&world->members[i] != collector) send_to(&world->members[i], SIG_GO);
    await_acks(world);
}

// Each in turn stops all others, every second of which computes, while the rest wait in a barrier.
static void stop_the_world(int width) {
    struct World* const world = new_world(width);
#pragma omp parallel num_threads(width)
    {
        struct Member* const member = enrol(world);
        const int num = omp_get_thread_num();
        await_all(world);
        for (int round = 0; round < width; ++round) {
            if (num == round) {
                collect(world, member);
                collect(world, member);
                atomic_store(&world->last, round + 1);
            } else if (num % 2 == 0) {
                while (atomic_load(&world->last) <= round) atomic_fetch_add(&member->steps, 1);
            }
#pragma omp barrier
        }
    }
    expect_right(world, 0);
}

// A handler without SA_RESTART ends a read that would never end.
static void interrupted_call(int width) {
    struct World* const world = new_world(width);
#pragma omp parallel num_threads(width)
    {
        struct Member* const member = enrol(world);
        char byte;
        if (omp_get_thread_num() == 0) {
            await_all(world);
            for (int left = width - 1; left > 0;) {
                left = 0;
                for (int i = 1; i < width; ++i) {
                    if (atomic_load(&world->members[i].done)) continue;
                    send_to(&world->members[i], SIGUSR2);  // it may come before the read
                    ++left;
                }
                usleep(1000);
            }
        } else {
            EXPECT_EQ(pipe(member->ends), 0);
            EXPECT_EQ(read(member->ends[0], &byte, 1), -1);
            EXPECT_EQ(errno, EINTR);
            atomic_store(&member->done, 1);
            close(member->ends[0]);
            close(member->ends[1]);
        }
    }
    for (int i = 0; i < width; ++i) EXPECT_EQ(atomic_load(&world->members[i].wrong), 0);
}

// Every other thread blocks the signal, and takes it when it unblocks it, after it has waited; sigwait takes it without.
static void masks(int width) {
    struct World* const world = new_world(width);
#pragma omp parallel num_threads(width)
    {
        struct Member* const member = enrol(world);
        const int num = omp_get_thread_num();
        sigset_t one, seen;
        sigemptyset(&one);
        sigaddset(&one, SIGUSR1);
        if (num % 2 == 1) EXPECT_EQ(pthread_sigmask(SIG_BLOCK, &one, NULL), 0);
#pragma omp barrier
        if (num == 0)
            for (int i = 0; i < width; ++i) send_to(&world->members[i], SIGUSR1);
        if (num % 2 == 0)
            while (atomic_load(&member->got) == 0) {}
#pragma omp barrier
        EXPECT_EQ(pthread_sigmask(SIG_SETMASK, NULL, &seen), 0);
        EXPECT_EQ(sigismember(&seen, SIGUSR1), num % 2);
        EXPECT_EQ(atomic_load(&member->got), 1 - num % 2);
        if (num % 4 == 1) {
            int taken = 0;
            EXPECT_EQ(sigwait(&one, &taken), 0);
            EXPECT_EQ(taken, SIGUSR1);
            atomic_fetch_add(&member->got, 1);
        }
        if (num % 2 == 1) EXPECT_EQ(pthread_sigmask(SIG_UNBLOCK, &one, NULL), 0);
        EXPECT_EQ(atomic_load(&member->got), 1);
    }
    expect_right(world, 1);
}

int main(void) {
    struct sigaction action = {.sa_handler = on_signal}, call = {.sa_handler = on_call}, stop = {.sa_handler = on_stop, .sa_flags = SA_RESTART},
                     go = {.sa_handler = on_go, .sa_flags = SA_RESTART};
    sigfillset(&stop.sa_mask);
    sigfillset(&go.sa_mask);
    sigaction(SIGUSR1, &action, NULL);
    sigaction(SIGUSR2, &call, NULL);
    sigaction(SIG_STOP, &stop, NULL);
    sigaction(SIG_GO, &go, NULL);
    check("computing", computing);
    check("in-a-barrier", in_a_barrier);
    check("in-a-task", in_a_task);
    check("from-outside", from_outside);
    check("between-regions", between_regions);
    check("stop-the-world", stop_the_world);
    check("interrupted-call", interrupted_call);
    check("masks", masks);
    return check_done();
}
