// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The cost of one task in microseconds, while one thread of the team generates tasks and all other threads wait
// at the barrier, where they may take tasks. Prints one line for each kind of task.
#include "../measure.h"

#include <omp.h>

enum { burst = 100, bursts = 20 };

static int threads;
static long counts[1024][8];

static void count(void) { counts[omp_get_thread_num()][0]++; }

#define IN_SINGLE \
    _Pragma("omp parallel num_threads(threads)") _Pragma("omp single") for (int round = 0; round < bursts; round++)

static void one_by_one(void) {
    IN_SINGLE {
        for (int i = 0; i < burst; i++) {
#pragma omp task
            count();
#pragma omp taskwait
        }
    }
}

static void in_bursts(void) {
    IN_SINGLE {
        for (int i = 0; i < burst; i++) {
#pragma omp task
            count();
        }
#pragma omp taskwait
    }
}

static void in_bursts_untied(void) {
    IN_SINGLE {
        for (int i = 0; i < burst; i++) {
#pragma omp task untied
            count();
        }
#pragma omp taskwait
    }
}

static void in_groups(void) {
    IN_SINGLE {
#pragma omp taskgroup
        {
            for (int i = 0; i < burst; i++) {
#pragma omp task
                count();
            }
        }
    }
}

static void with_64_bytes(void) {
    IN_SINGLE {
        struct {
            long values[8];
        } data = {{round, 1, 2, 3, 4, 5, 6, 7}};
        for (int i = 0; i < burst; i++) {
            data.values[1] = i;
#pragma omp task firstprivate(data)
            counts[omp_get_thread_num()][0] += data.values[7] == 7;
        }
#pragma omp taskwait
    }
}

static void undeferred(void) {
    IN_SINGLE {
        for (int i = 0; i < burst; i++) {
#pragma omp task if (0)
            count();
        }
    }
}

static void included(void) {
#pragma omp parallel num_threads(threads)
#pragma omp single
    {
#pragma omp task final(1)
        for (int i = 0; i < burst * bursts; i++) {
#pragma omp task
            count();
        }
    }
}

static void in_a_chain(void) {
    IN_SINGLE {
        long link = 0;
        for (int i = 0; i < burst; i++) {
#pragma omp task depend(inout : link) shared(link)
            {
                link++;
                count();
            }
        }
#pragma omp taskwait
    }
}

static void with_three_addresses(void) {
    IN_SINGLE {
        long cells[burst + 2];
        for (int i = 0; i < burst; i++) {
#pragma omp task depend(in : cells[i + 1], cells[i + 2]) depend(out : cells[i]) shared(cells) firstprivate(i)
            {
                cells[i] = i;
                count();
            }
        }
#pragma omp taskwait
        empty((int)cells[0], (int)cells[burst - 1]);
    }
}

static void with_priorities(void) {
    IN_SINGLE {
        for (int i = 0; i < burst; i++) {
#pragma omp task priority(i % 4)
            count();
        }
#pragma omp taskwait
    }
}

static void in_loops(void) {
    IN_SINGLE {
#pragma omp taskloop grainsize(1)
        for (int i = 0; i < burst; i++) count();
    }
}

static void detached(void) {
    IN_SINGLE {
        for (int i = 0; i < burst; i++) {
            omp_event_handle_t event;
#pragma omp task detach(event)
            {
                count();
                omp_fulfill_event(event);
            }
        }
#pragma omp taskwait
    }
}

static void from_every_thread(void) {
#pragma omp parallel num_threads(threads)
    {
        for (int round = 0; round < bursts; round++) {
            for (int i = omp_get_thread_num(); i < burst; i += threads) {
#pragma omp task
                count();
            }
#pragma omp taskwait
        }
    }
}

static const struct {
    const char* name;
    void (*run)(void);
} kinds[] = {
    {"one by one", one_by_one},
    {"in bursts", in_bursts},
    {"untied", in_bursts_untied},
    {"in taskgroups", in_groups},
    {"64 bytes", with_64_bytes},
    {"undeferred", undeferred},
    {"included", included},
    {"a chain", in_a_chain},
    {"3 addresses", with_three_addresses},
    {"priorities", with_priorities},
    {"taskloop", in_loops},
    {"detached", detached},
    {"every thread", from_every_thread},
};

static void pass(void* context) { kinds[*(const int*)context].run(); }

static long counted(void) {
    long sum = 0;
    for (int i = 0; i < threads; i++) sum += counts[i][0];
    return sum;
}

int main(int argc, char** argv) {
    struct Option options[] = {{"threads", 2, "threads of the team"}};
    const struct Budget budget = read_options(argc, argv, options, 1);
    threads = (int)options[0].value;
    if (threads > 1024) wrong("more than 1024 threads");
    for (int kind = 0; kind < (int)(sizeof kinds / sizeof *kinds); kind++) {
        const long before = counted();
        pass(&kind);
        if (counted() - before != burst * bursts)
            wrong("%s: %ld of %d tasks were run", kinds[kind].name, counted() - before, burst * bursts);
        struct Timing timing = measure(pass, &kind, &budget);
        const double tasks = burst * bursts;
        timing.median_us /= tasks;
        timing.first_quartile_us /= tasks;
        timing.third_quartile_us /= tasks;
        timing.min_us /= tasks;
        json_open("spawn");
        json_text("construct", kinds[kind].name);
        json_number("threads", threads);
        json_timing(&timing);
        json_close();
    }
    return 0;
}
