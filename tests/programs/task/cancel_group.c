// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// cancel taskgroup: it discards tasks that have not begun; begun tasks go on to a cancellation point; it leaves
// outer groups and other teams' tasks alone, and releases dependences and waits. Taskloops too.
//
// libomp 19 hangs after a cancelled taskloop:
// test: peer-skip clang loops
// test: env OMP_CANCELLATION=true
// test: env
#include "check.h"

#define IN_SINGLE(width) _Pragma("omp parallel num_threads(width)") _Pragma("omp single")

static int enabled(void) { return omp_get_cancellation(); }

static void add(int* counter, int value) {
#pragma omp atomic
    *counter += value;
}

// An undeferred task cancels the full group, which discards all tasks that are generated later.
static void discards_what_follows(int width) {
    int before = 0, after = 0;
    IN_SINGLE(width) {
#pragma omp taskgroup
        {
            for (int i = 0; i < 10; ++i) {
#pragma omp task if (0) shared(before)
                before++;
            }
#pragma omp task if (0)
            {
#pragma omp cancel taskgroup
            }
            for (int i = 0; i < 10; ++i) {
#pragma omp task shared(after)
                add(&after, 1);
            }
        }
        EXPECT_EQ(before, 10);
        EXPECT_EQ(after, enabled() ? 0 : 10);
    }
}

static void stops_at_cancellation_points(int width) {
    int began = 0, passed = 0;
    IN_SINGLE(width) {
#pragma omp taskgroup
        {
            for (int i = 0; i < 20; ++i) {
#pragma omp task shared(began, passed)
                {
                    add(&began, 1);
#pragma omp cancel taskgroup
                    add(&passed, 1);
                }
            }
        }
    }
    EXPECT(began >= 1);
    EXPECT(enabled() ? passed == 0 : passed == 20 && began == 20);
}

static void if_clause(int width) {
    int passed = 0;
    IN_SINGLE(width) {
#pragma omp taskgroup
        {
            for (int i = 0; i < 10; ++i) {
#pragma omp task shared(passed)
                {
#pragma omp cancel taskgroup if (i < 0)
#pragma omp cancellation point taskgroup
                    add(&passed, 1);
                }
            }
        }
    }
    EXPECT_EQ(passed, 10);
}

static void other_groups_go_on(int width) {
    int inner = 0, outer = 0, later = 0;
    IN_SINGLE(width) {
#pragma omp taskgroup
        {
            for (int i = 0; i < 6; ++i) {
#pragma omp task shared(inner, outer)
                {
#pragma omp taskgroup
                    {
#pragma omp task if (0)
                        {
#pragma omp cancel taskgroup
                        }
#pragma omp task shared(inner)
                        add(&inner, 1);
                    }
#pragma omp cancellation point taskgroup
                    add(&outer, 1);
                }
            }
        }
        EXPECT_EQ(outer, 6);
        EXPECT_EQ(inner, enabled() ? 0 : 6);
#pragma omp taskgroup
        {
            for (int i = 0; i < 5; ++i) {
#pragma omp task shared(later)
                add(&later, 1);
            }
        }
        EXPECT_EQ(later, 5);
    }
}

// Descendants belong to the group, so cancellation discards those that have not begun as well. The end of the
// group waits for all begun descendants.
static void tree(int depth, int* begun, int* ended) {
#pragma omp task firstprivate(depth)
    {
        add(begun, 1);
        if (depth > 0) {
            tree(depth - 1, begun, ended);
            tree(depth - 1, begun, ended);
        } else {
#pragma omp cancel taskgroup
        }
#pragma omp taskwait
        add(ended, 1);
    }
}

static void descendants(int width) {
    int begun = 0, ended = 0;
    IN_SINGLE(width) {
#pragma omp taskgroup
        tree(6, &begun, &ended);
    }
    EXPECT(begun >= ended);
    EXPECT(enabled() ? begun >= 7 && begun <= 127 : begun == 127 && ended == 127);
}

static void dependences_are_released(int width) {
    int x = 0, after = 0;
    IN_SINGLE(width) {
#pragma omp taskgroup
        {
#pragma omp task if (0)
            {
#pragma omp cancel taskgroup
            }
            for (int i = 0; i < 20; ++i) {
#pragma omp task depend(inout : x) shared(x)
                x++;
            }
        }
#pragma omp task depend(inout : x) shared(x, after)
        after = x + 1;
#pragma omp taskwait
        EXPECT_EQ(after, enabled() ? 1 : 21);
    }
}

static void each_thread_its_own_group(int width) {
    int discarded = 0, kept = 0;
#pragma omp parallel num_threads(width)
    {
        int odd = omp_get_thread_num() & 1;
#pragma omp taskgroup
        {
#pragma omp task if (0) firstprivate(odd)
            {
#pragma omp cancel taskgroup if (odd)
            }
            for (int i = 0; i < 5; ++i) {
#pragma omp task firstprivate(odd) shared(discarded, kept)
                add(odd ? &discarded : &kept, 1);
            }
        }
    }
    EXPECT_EQ(kept, 5 * ((width + 1) / 2));
    EXPECT_EQ(discarded, enabled() ? 0 : 5 * (width / 2));
}

static void loops(int width) {
    int began = 0, passed = 0, next = 0;
    IN_SINGLE(width) {
#pragma omp taskloop grainsize(1) shared(began, passed)
        for (int i = 0; i < 30; ++i) {
            add(&began, 1);
#pragma omp cancel taskgroup
            add(&passed, 1);
        }
#pragma omp taskloop grainsize(4) shared(next)
        for (int i = 0; i < 30; ++i) add(&next, 1);
    }
    EXPECT(began >= 1 && began <= 30);
    EXPECT_EQ(passed, enabled() ? 0 : 30);
    EXPECT_EQ(next, 30);
}

int main(void) {
    check("discards-what-follows", discards_what_follows);
    check("stops-at-cancellation-points", stops_at_cancellation_points);
    check("if-clause", if_clause);
    check("other-groups-go-on", other_groups_go_on);
    check("descendants", descendants);
    check("dependences-are-released", dependences_are_released);
    check("each-thread-its-own-group", each_thread_its_own_group);
    check("loops", loops);
    return check_done();
}
