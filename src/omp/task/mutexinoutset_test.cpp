// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "base/base.hpp"
#include "omp/task/task_for_test.hpp"

namespace gossamer::omp {
namespace {

using enum DependKind;

// A task of a set waits for one that is complete only when a later task of the set has run.
TEST(MutexInOutSet, ATaskThatWaitsElsewhereLetsLaterOnesRun) {
    for (const std::uint32_t width : {1u, 2u, 4u}) {
        int set = 0, other = 0;
        std::atomic<int> order{0};
        int first = 0, second = 0;
        in_team(width, [&] {
            TestTask& writer = make([](TestTask&) {}, true);
            submit(writer, {{&other, exclusive}});
            submit(make([&](TestTask&) { first = ++order; }), {{&other, in}, {&set, mutexinoutset}});
            submit(make([&](TestTask&) {
                       second = ++order;
                       task_fulfil(writer);
                   }),
                   {{&set, mutexinoutset}});
            taskwait(current());
        });
        EXPECT_EQ(second, 1);
        EXPECT_EQ(first, 2);
    }
    EXPECT_EQ(alive, 0);
}

// The thread that waits for an undeferred task of a set executes another task meanwhile, which waits for a third of the set.
TEST(MutexInOutSet, AnUndeferredTaskClaimsNothingWhileItsThreadIsElsewhere) {
    for (int round = 0; round < 50; ++round) {
        static std::atomic<bool> begun, third_is_over;
        begun = third_is_over = false;
        bool undeferred_ran = false;
        int set = 0, other = 0;
        in_team(2, [&] {
            TestTask& holder = make([](TestTask&) {}, true);
            TestTask& writer = make([](TestTask&) {}, true);
            submit(holder, {{&set, mutexinoutset}});
            submit(writer, {{&other, exclusive}});
            submit(make([](TestTask&) { third_is_over = true; }), {{&other, in}, {&set, mutexinoutset}});
            submit(make([](TestTask&) {  // keeps the other thread busy
                while (!begun) std::this_thread::yield();
            }));
            submit(make([&](TestTask&) {
                begun = true;
                task_fulfil(holder);
                task_fulfil(writer);
                while (!third_is_over) std::this_thread::yield();
            }));
            submit(make([&](TestTask&) { undeferred_ran = true; }), {{&set, mutexinoutset}}, true);
            EXPECT_TRUE(undeferred_ran);
            taskwait(current());
        });
    }
    EXPECT_EQ(alive, 0);
}

// Tasks of overlapping sets, some of which wait for children, so that other threads come by meanwhile.
TEST(MutexInOutSet, NoTwoOfASetRunAtOnce) {
    constexpr int sets = 3, tasks = 600;
    std::atomic<int> inside[sets] = {}, wrong{0}, ran{0};
    in_team(4, [&] {
        Random random(7);
        for (int i = 0; i < tasks; ++i) {
            const std::uint32_t which = 1 + random.below((1u << sets) - 1);
            std::vector<Dependence> what;
            for (int set = 0; set < sets; ++set) {
                if ((which >> set & 1) != 0) what.push_back({&inside[set], mutexinoutset});
            }
            const bool waits = random.one_in(4), undeferred = random.one_in(16);
            submit(make([&, which, waits](TestTask&) {
                       for (int set = 0; set < sets; ++set) {
                           if ((which >> set & 1) != 0 && inside[set]++ != 0) ++wrong;
                       }
                       if (waits) {
                           submit(make([](TestTask&) { std::this_thread::yield(); }));
                           taskwait(current());
                       }
                       ++ran;
                       for (int set = 0; set < sets; ++set) {
                           if ((which >> set & 1) != 0) --inside[set];
                       }
                   }),
                   what, undeferred);
            if (random.one_in(50)) taskwait(current(), what);
        }
    });
    EXPECT_EQ(wrong, 0);
    EXPECT_EQ(ran, tasks);
    EXPECT_EQ(alive, 0);
}

}  // namespace
}  // namespace gossamer::omp
