// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// depend: random graphs of tasks of all kinds. Each task notes when it begins and ends, and its parent compares every
// two of its children: those that a dependence orders ran in this order, and two of a mutexinoutset not at once.
//
// libgomp calls an event invalid that nobody has fulfilled, where many tasks wait; libomp 19 fails an assertion in
// untied tasks that wait (kmp_tasking.cpp, td_last_tied). Without detach, or untied, both pass.
// test: peer-none gcc clang
#include "check.h"

enum { children = 10, addresses = 4, items = 2 };
enum Kind { in, out, inout, mutexinoutset, inoutset, kinds };

typedef struct {
    unsigned clock, ran, generated;
    int wrong;
} Run;

typedef struct {
    int kind[items], address[items];
    unsigned begin, end;
} One;

static unsigned draw(unsigned* seed, unsigned bound) {
    *seed = *seed * 1664525u + 1013904223u;
    return (unsigned)(((unsigned long long)*seed * bound) >> 32);
}

static unsigned now(Run* run) { return __atomic_add_fetch(&run->clock, 1, __ATOMIC_SEQ_CST); }

// A task ends with its block or, if that is later, with its event.
static void ends(Run* run, One* one) {
    unsigned old = __atomic_load_n(&one->end, __ATOMIC_RELAXED), time = now(run);
    while (old < time && !__atomic_compare_exchange_n(&one->end, &old, time, 0, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)) {
    }
}

static omp_depend_t object_of(int kind, char* address) {
    omp_depend_t object;
#pragma omp depobj(object) depend(in : *address)
    switch (kind) {
        case in: break;
        case out: {
#pragma omp depobj(object) update(out)
            break;
        }
        case inout: {
#pragma omp depobj(object) update(inout)
            break;
        }
        case mutexinoutset: {
#pragma omp depobj(object) update(mutexinoutset)
            break;
        }
#ifdef __clang__  // gcc 12 lacks it
        case inoutset: {
#pragma omp depobj(object) update(inoutset)
            break;
        }
#endif
    }
    return object;
}

static void destroy(omp_depend_t object) {
#pragma omp depobj(object) destroy
    (void)object;
}

enum Order { none, exclusive, ordered };

static enum Order order_of(const One* earlier, const One* later) {
    enum Order order = none;
    for (int i = 0; i < items; ++i)
        for (int j = 0; j < items; ++j) {
            int kind = earlier->kind[i];
            if (earlier->address[i] != later->address[j]) continue;
            if (kind != later->kind[j] || kind == out || kind == inout) return ordered;
            if (kind == mutexinoutset) order = exclusive;
        }
    return order;
}

static void grow(Run* run, unsigned seed, int depth);

static void execute(Run* run, One* one, unsigned seed, int depth) {
    one->begin = now(run);
    __atomic_add_fetch(&run->ran, 1, __ATOMIC_RELAXED);
    switch (draw(&seed, depth > 0 ? 4 : 3)) {
        case 0: break;
        case 1: {
#pragma omp taskyield
            break;
        }
        case 2:
            for (volatile int i = 0; i < 200; ++i) {
            }
            break;
        default: grow(run, seed, depth - 1);
    }
    ends(run, one);
}

static void generate(Run* run, One* one, char* memory, unsigned seed, int depth) {
    char *first = memory + one->address[0], *second = memory + one->address[1];
    omp_depend_t a = object_of(one->kind[0], first), b = object_of(one->kind[1], second);
    int deferred = draw(&seed, 8) != 0, last = draw(&seed, 16) == 0, urgent = (int)draw(&seed, 4);
    const unsigned sort = draw(&seed, omp_in_final() ? 2 : 3);
    __atomic_add_fetch(&run->generated, 1, __ATOMIC_RELAXED);
    if (sort == 0) {
#pragma omp task depend(depobj : a, b) if (deferred) final(last) priority(urgent)
        execute(run, one, seed, depth);
    } else if (sort == 1) {
#pragma omp task untied depend(depobj : a, b) if (deferred)
        execute(run, one, seed, depth);
    } else {
        omp_event_handle_t event;
#pragma omp task detach(event) depend(depobj : a, b)
        execute(run, one, seed, depth);
#pragma omp task priority(urgent)
        {
            ends(run, one);
            omp_fulfill_event(event);
        }
    }
    destroy(a);
    destroy(b);
}

static void grow(Run* run, unsigned seed, int depth) {
    One all[children];
    char memory[addresses];
    for (int i = 0; i < children; ++i) {
        One* one = &all[i];
        one->begin = one->end = 0;
        for (int item = 0; item < items; ++item) {
#ifdef __clang__
            one->kind[item] = draw(&seed, 3) == 0 ? mutexinoutset : (int)draw(&seed, kinds);
#else
            one->kind[item] = draw(&seed, 3) == 0 ? mutexinoutset : (int)draw(&seed, inoutset);
#endif
            one->address[item] = (int)draw(&seed, addresses);
        }
        generate(run, one, memory, draw(&seed, ~0u), depth);
        if (draw(&seed, 12) == 0) {
#pragma omp taskwait depend(in : memory[0])
            for (int earlier = 0; earlier <= i; ++earlier)
                for (int item = 0; item < items; ++item)
                    if (all[earlier].address[item] == 0 && all[earlier].kind[item] != in && all[earlier].end == 0) run->wrong = 1;
        }
    }
#pragma omp taskwait
    for (int i = 0; i < children; ++i)
        for (int j = i + 1; j < children; ++j) {
            enum Order order = order_of(&all[i], &all[j]);
            if (order == ordered && all[i].end > all[j].begin) run->wrong = 1;
            if (order == exclusive && all[i].end > all[j].begin && all[j].end > all[i].begin) run->wrong = 1;
        }
}

static void graphs(int width) {
    static unsigned seeds;
    Run run = {0};
    unsigned seed = __atomic_fetch_add(&seeds, 1, __ATOMIC_RELAXED) % 256;
#pragma omp parallel num_threads(width)
    {
#pragma omp single nowait
        grow(&run, 7919 * seed, 2);
#pragma omp taskgroup
        grow(&run, 104729 * seed + (unsigned)omp_get_thread_num(), 1);
    }
    EXPECT_EQ(run.wrong, 0);
    EXPECT_EQ(run.ran, run.generated);
}

int main(void) {
    check("graphs", graphs);
    return check_done();
}
