// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// detach: events fulfilled before the body's end and after it, by another thread of the team, by a task of
// another team and by plain pthreads, a thousand at once. Dependences, taskwaits, groups and barriers wait for
// the events.
//
// Where a thread outside the team fulfils the last event that the team waits for, libgomp 12 sometimes hangs,
// and libomp 19 miscounts:
// test: peer-none gcc
// test: peer-skip clang by-pthreads many-at-once in-groups held-up-dependences by-another-team
// test: flags -pthread
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include "check.h"

#define IN_SINGLE(width) _Pragma("omp parallel num_threads(width)") _Pragma("omp single")

// A thread of no team that fulfils the events that other threads send it, in order.
typedef struct {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    omp_event_handle_t* events;
    int sent, fulfilled, closed;
} Fulfiller;

static void* fulfil(void* argument) {
    Fulfiller* f = (Fulfiller*)argument;
    pthread_mutex_lock(&f->lock);
    while (!f->closed || f->fulfilled < f->sent) {
        if (f->fulfilled == f->sent) {
            pthread_cond_wait(&f->changed, &f->lock);
            continue;
        }
        omp_event_handle_t event = f->events[f->fulfilled];
        pthread_mutex_unlock(&f->lock);
        omp_fulfill_event(event);
        pthread_mutex_lock(&f->lock);
        f->fulfilled++;
    }
    pthread_mutex_unlock(&f->lock);
    return NULL;
}

static void open_fulfiller(Fulfiller* f, int capacity) {
    memset(f, 0, sizeof *f);
    f->events = (omp_event_handle_t*)malloc((size_t)capacity * sizeof *f->events);
    pthread_mutex_init(&f->lock, NULL);
    pthread_cond_init(&f->changed, NULL);
    EXPECT_EQ(pthread_create(&f->thread, NULL, fulfil, f), 0);
}

static void send(Fulfiller* f, omp_event_handle_t event) {
    pthread_mutex_lock(&f->lock);
    f->events[f->sent++] = event;
    pthread_cond_signal(&f->changed);
    pthread_mutex_unlock(&f->lock);
}

static int close_fulfiller(Fulfiller* f) {
    pthread_mutex_lock(&f->lock);
    f->closed = 1;
    pthread_cond_signal(&f->changed);
    pthread_mutex_unlock(&f->lock);
    pthread_join(f->thread, NULL);
    pthread_mutex_destroy(&f->lock);
    pthread_cond_destroy(&f->changed);
    free(f->events);
    return f->fulfilled;
}

static void before_the_body_ends(int width) {
    int x = 0, seen = 0;
    IN_SINGLE(width)
    for (int i = 0; i < 10; ++i) {
        omp_event_handle_t event;
#pragma omp task detach(event) depend(inout : x) shared(x)
        {
            omp_fulfill_event(event);
            x++;
        }
#pragma omp task depend(in : x) shared(x, seen) firstprivate(i)
        {
            if (x == i + 1) {
#pragma omp atomic
                seen++;
            }
        }
    }
    EXPECT_EQ(seen, 10);
}

// The generating thread fulfils the event after the task construct, whether or not the body has ended.
static void by_the_generating_thread(int width) {
    int x = 0;
    IN_SINGLE(width)
    for (int i = 0; i < 10; ++i) {
        omp_event_handle_t event;
#pragma omp task detach(event) shared(x)
        {
#pragma omp atomic
            x++;
        }
        omp_fulfill_event(event);
#pragma omp taskwait
        EXPECT_EQ(x, i + 1);
    }
}

static void by_another_thread_of_the_team(int width) {
    omp_event_handle_t handed = (omp_event_handle_t)0;
    int there = 0, x = 0;
    if (width < 2) return;
#pragma omp parallel num_threads(width)
    {
        int me = omp_get_thread_num();
        if (me == 0) {
            omp_event_handle_t event;
#pragma omp task detach(event) shared(x)
            {
#pragma omp atomic
                x++;
            }
            handed = event;
            __atomic_store_n(&there, 1, __ATOMIC_RELEASE);
#pragma omp taskwait
            EXPECT_EQ(__atomic_load_n(&there, __ATOMIC_ACQUIRE), 2);
        } else if (me == width - 1) {
            while (!__atomic_load_n(&there, __ATOMIC_ACQUIRE)) sched_yield();
            __atomic_store_n(&there, 2, __ATOMIC_RELEASE);
            omp_fulfill_event(handed);
        }
    }
    EXPECT_EQ(x, 1);
}

static void by_another_team(int width) {
    int x = 0;
    IN_SINGLE(width)
    for (int i = 0; i < 4; ++i) {
        omp_event_handle_t event;
#pragma omp task detach(event) shared(x)
        {
#pragma omp atomic
            x++;
        }
#pragma omp parallel num_threads(2) firstprivate(event)
        {
#pragma omp single nowait
            {
#pragma omp task firstprivate(event)
                omp_fulfill_event(event);
            }
        }
#pragma omp taskwait
        EXPECT_EQ(x, i + 1);
    }
}

static void by_pthreads(int width) {
    int total = 0;
#pragma omp parallel num_threads(width)
    {
        Fulfiller f;
        int mine = 0;
        open_fulfiller(&f, 10);
        for (int i = 0; i < 10; ++i) {
            omp_event_handle_t event;
#pragma omp task detach(event) shared(f, mine)
            {
#pragma omp atomic
                mine++;
                send(&f, event);
            }
        }
#pragma omp taskwait
        EXPECT_EQ(mine, 10);
        EXPECT_EQ(close_fulfiller(&f), 10);
#pragma omp atomic
        total += mine;
    }
    EXPECT_EQ(total, 10 * width);
}

// The first event is fulfilled after all bodies have begun, so all tasks are detached at once.
static void many_at_once(int width) {
    enum { n = 1000 };
    omp_event_handle_t* events = (omp_event_handle_t*)malloc(n * sizeof *events);
    Fulfiller f;
    int begun = 0, after = 0;
    open_fulfiller(&f, n);
    IN_SINGLE(width) {
        for (int i = 0; i < n; ++i) {
            omp_event_handle_t event;
#pragma omp task detach(event) shared(events, begun, f) firstprivate(i)
            {
                events[i] = event;
                if (__atomic_add_fetch(&begun, 1, __ATOMIC_ACQ_REL) == n)
                    for (int k = 0; k < n; ++k) send(&f, events[k]);
            }
        }
#pragma omp taskwait
        after = begun;
    }
    EXPECT_EQ(after, n);
    EXPECT_EQ(close_fulfiller(&f), n);
    free(events);
}

static void held_up_dependences(int width) {
    int x = 0, wrong = 0, done = 0;
    Fulfiller f;
    open_fulfiller(&f, 20);
    IN_SINGLE(width) {
        for (int i = 0; i < 20; ++i) {
            omp_event_handle_t event;
#pragma omp task detach(event) depend(inout : x) shared(x, wrong, f) firstprivate(i)
            {
                wrong += x != i;
                x++;
                send(&f, event);
            }
#pragma omp task shared(done)
            {
#pragma omp atomic
                done++;
            }
        }
#pragma omp taskwait depend(in : x)
        EXPECT_EQ(x, 20);
    }
    EXPECT_EQ(done, 20);
    EXPECT_EQ(wrong, 0);
    EXPECT_EQ(close_fulfiller(&f), 20);
}

static void in_groups(int width) {
    int total = 0;
#pragma omp parallel num_threads(width)
    {
        Fulfiller f;
        int mine = 0;
        open_fulfiller(&f, 6);
#pragma omp taskgroup
        {
            for (int i = 0; i < 6; ++i) {
#pragma omp task shared(f, mine)
                {
                    omp_event_handle_t event;
#pragma omp task detach(event) shared(f, mine)
                    {
                        send(&f, event);
#pragma omp atomic
                        mine++;
                    }
                }
            }
        }
        EXPECT_EQ(mine, 6);
        EXPECT_EQ(close_fulfiller(&f), 6);
#pragma omp atomic
        total += mine;
    }
    EXPECT_EQ(total, 6 * width);
}

int main(void) {
    check("before-the-body-ends", before_the_body_ends);
    check("by-the-generating-thread", by_the_generating_thread);
    check("by-another-thread-of-the-team", by_another_thread_of_the_team);
    check("by-another-team", by_another_team);
    check("by-pthreads", by_pthreads);
    check_share("many-at-once", many_at_once, 5);
    check("held-up-dependences", held_up_dependences);
    check("in-groups", in_groups);
    return check_done();
}
