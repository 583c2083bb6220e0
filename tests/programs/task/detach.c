// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// detach: the task completes when the task itself, a sibling task or a thread of no team fulfils its
// event.
//
// libgomp 12 never leaves a barrier if a thread of no team fulfils the last detached task's event:
// test: peer-skip gcc holds-the-barrier
// libomp 19 sometimes miscounts children when a thread of no team completes a task, and aborts:
// test: peer-skip clang by-a-pthread holds-the-barrier holds-the-taskgroup
#include <pthread.h>
#include <unistd.h>
#include "check.h"

#define IN_SINGLE(width) _Pragma("omp parallel num_threads(width)") _Pragma("omp single")

static void by_itself(int width) {
    int done = 0;
    IN_SINGLE(width) {
        omp_event_handle_t event;
#pragma omp task detach(event) shared(done)
        {
            done = 1;
            omp_fulfill_event(event);
        }
#pragma omp taskwait
        EXPECT_EQ(done, 1);
    }
}

static void by_a_sibling(int width) {
    int x = 0, order = 0;
    IN_SINGLE(width) {
        omp_event_handle_t event;
#pragma omp task detach(event) depend(out : x) shared(x)
        x = 1;
#pragma omp task shared(order) firstprivate(event)
        {
#pragma omp atomic write
            order = 1;
            omp_fulfill_event(event);
        }
#pragma omp task depend(in : x) shared(x, order)
        {
            int seen;
#pragma omp atomic read
            seen = order;
            EXPECT_EQ(x, 1);
            EXPECT_EQ(seen, 1);
        }
    }
}

typedef struct {
    omp_event_handle_t event;
    int* flag;
} Request;

static void* fulfil(void* argument) {
    Request* request = (Request*)argument;
    usleep(1000);
    __atomic_store_n(request->flag, 1, __ATOMIC_RELEASE);
    omp_fulfill_event(request->event);
    free(request);
    return NULL;
}

// A plain pthread fulfils the event, as the callback of an I/O library would.
static void by_a_pthread(int width) {
    int flag = 0;
    IN_SINGLE(width) {
        omp_event_handle_t event;
        pthread_t helper;
#pragma omp task detach(event) shared(flag, helper)
        {
            Request* request = (Request*)malloc(sizeof *request);
            request->event = event;
            request->flag = &flag;
            EXPECT_EQ(pthread_create(&helper, NULL, fulfil, request), 0);
        }
#pragma omp taskwait
        EXPECT_EQ(__atomic_load_n(&flag, __ATOMIC_ACQUIRE), 1);
        pthread_join(helper, NULL);
    }
}

static void holds_the_barrier(int width) {
    int flag = 0;
    pthread_t helper;
#pragma omp parallel num_threads(width)
    {
#pragma omp master
        {
            omp_event_handle_t event;
#pragma omp task detach(event) shared(flag, helper)
            {
                Request* request = (Request*)malloc(sizeof *request);
                request->event = event;
                request->flag = &flag;
                EXPECT_EQ(pthread_create(&helper, NULL, fulfil, request), 0);
            }
        }
#pragma omp barrier
        EXPECT_EQ(__atomic_load_n(&flag, __ATOMIC_ACQUIRE), 1);
    }
    pthread_join(helper, NULL);
}

static void holds_the_taskgroup(int width) {
    int flag = 0;
    IN_SINGLE(width) {
        pthread_t helper;
#pragma omp taskgroup
        {
            omp_event_handle_t event;
#pragma omp task detach(event) shared(flag, helper)
            {
                Request* request = (Request*)malloc(sizeof *request);
                request->event = event;
                request->flag = &flag;
                EXPECT_EQ(pthread_create(&helper, NULL, fulfil, request), 0);
            }
        }
        EXPECT_EQ(__atomic_load_n(&flag, __ATOMIC_ACQUIRE), 1);
        pthread_join(helper, NULL);
    }
}

int main(void) {
    check("by-itself", by_itself);
    check("by-a-sibling", by_a_sibling);
    check("by-a-pthread", by_a_pthread);
    check("holds-the-barrier", holds_the_barrier);
    check("holds-the-taskgroup", holds_the_taskgroup);
    return check_done();
}
