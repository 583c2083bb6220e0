// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a thread begins while it waits in a tied or an untied task (OpenMP 5.2 §12.9).
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <thread>
#include <utility>

#include "omp/task/task_for_test.hpp"
#include "omp/team/team.hpp"

namespace gossamer::omp {
namespace {

// A task waits for its child, which the only other thread executes; a task that is no descendant of it is ready meanwhile.
struct WaitingBesideAnother {
    std::atomic<bool> waits{false};
    std::atomic<bool> other_is_over{false};
    std::atomic<bool> other_came_between{false};

    // `child` begins when the other task has become ready.
    template <class Child>
    void run(bool untied, const Child& child) {
        in_team(2, [&] {
            TestTask& gate = make([](TestTask&) {}, true);
            submit(gate, writes_x);
            submit(make([this](TestTask&) {
                       submit(make([](TestTask&) {}));  // is left behind
                       if (waits && current().num == 0) other_came_between = true;
                       other_is_over = true;
                   }),
                   writes_x);
            TestTask& waiting = make([&](TestTask&) {
                std::atomic<bool> begun{false}, ready{false};
                submit(make([&](TestTask&) {
                    begun = true;
                    while (!ready) std::this_thread::yield();
                    child();
                }));
                while (!begun) std::this_thread::yield();  // the other thread has it
                task_fulfil(gate);
                waits = true;
                ready = true;
                taskwait(current());
                waits = false;
            });
            if (untied) waiting.untie();
            submit(waiting, {}, true);
            taskwait(current());
        });
        EXPECT_TRUE(other_is_over);
        EXPECT_EQ(alive, 0);
    }
};

TEST(WaitingInTasks, AThreadThatWaitsInAnUntiedTaskExecutesOthers) {
    in_team(2, [] {});
    // ThreadSanitizer's stacks are not what libc says.
    if (!fiber::has_ample_stack()) GTEST_SKIP() << "how much of the stack is left is not known";
    WaitingBesideAnother waiting;
    // Nobody else can.
    waiting.run(true, [&] {
        while (!waiting.other_is_over) std::this_thread::yield();
    });
    EXPECT_TRUE(waiting.other_came_between);
}

TEST(WaitingInTasks, AThreadThatWaitsInATiedTaskExecutesItsDescendantsOnly) {
    WaitingBesideAnother waiting;
    waiting.run(false, [] { std::this_thread::sleep_for(std::chrono::milliseconds(20)); });
    EXPECT_FALSE(waiting.other_came_between);
}

struct TaskOfParts : TestTask {
    using TestTask::TestTask;
    int begun = 0, parts = 0;
};

TaskOfParts& make_untied(std::function<void(TaskOfParts&)> block, int parts = 2) {
    static const TaskKind of_parts{[](Task& task) {
                                       auto& it = static_cast<TaskOfParts&>(task);
                                       ++it.begun;
                                       return kind.run(task) && it.begun == it.parts;
                                   },
                                   nullptr, kind.dispose};
    ++alive;
    TaskOfParts& task = new_task<TaskOfParts>(current(), of_parts);
    task.parts = parts;
    task.block = [block = std::move(block)](TestTask& it) { block(static_cast<TaskOfParts&>(it)); };
    task.untie();
    return task;
}

// The last part of a child lies beneath that of its parent, and is taken from there by a wait in which either may be begun. The
// parent's would wait for the child that lies beneath it on the stack.
TEST(WaitingInTasks, WhatLiesAboveAnUntiedTaskIsNotItsOwn) {
    in_team(2, [] {});
    if (!fiber::has_ample_stack()) GTEST_SKIP() << "how much of the stack is left is not known";
    static TestTask *outside, *inside;  // detached, and fulfilled by the other thread
    static std::atomic<bool> other_is_busy, waits, parent_above;
    other_is_busy = waits = parent_above = false;
    const auto block = [] {
        submit(make([](TestTask&) {
            other_is_busy = true;
            const Team& team = *current().team;
            const auto is_shared = [&team] {
                const SharedQueue* const queue = team.tasks.known_queue();
                return queue != nullptr && queue->any();
            };
            while (!waits || !(parent_above || is_shared())) std::this_thread::yield();
            task_fulfil(*inside);
            task_fulfil(*outside);
        }));
        while (!other_is_busy) std::this_thread::yield();
        submit(make_untied([](TaskOfParts& parent) {
            if (parent.begun == 2) {
                parent_above = waits && current().num == 0;
                return;
            }
            submit(make_untied([](TaskOfParts& child) {
                if (child.begun == 1) return;
                inside = &make([](TestTask&) {}, true);
                submit(*inside);
                waits = true;
                taskwait(current());
                waits = false;
            }));
            taskyield(current());
        }));
        taskyield(current());
        TestTask& waiting = make([](TestTask&) {
            outside = &make([](TestTask&) {}, true);
            submit(*outside);
            taskwait(current());
        });
        waiting.untie();
        submit(waiting, {}, true);
        taskwait(current());
    };
    in_team(2, block);
    EXPECT_FALSE(parent_above);
    EXPECT_EQ(alive, 0);
}

// The team's queue is every thread's, so most parts of untied tasks stay out of it; those of a task that may wait for others,
// which lie beneath it, do not.
TEST(WaitingInTasks, AnUntiedTaskGoesBehindOthersAfterManyParts) {
    // The part behind which it does; 0: none.
    const auto part_behind = [](int parts) {
        int found = 0;
        in_team(2, [&] {
            Thread& me = current();
            std::atomic<bool> busy{false}, over{false};
            submit(make([&](TestTask&) {
                busy = true;
                while (!over) std::this_thread::yield();
            }));
            while (!busy) std::this_thread::yield();  // nobody steals from here
            Task* task = &make_untied([](TaskOfParts&) {}, parts);
            count_task(*me.task, *task);
            for (int part = 1; part < parts && found == 0; ++part) {
                execute_deferred(me, *task);
                task = me.tasks.deque.load()->pop(INT64_MIN, os::yield_native);
                if (task == nullptr) found = part;
            }
            if (task != nullptr) execute_deferred(me, *task);
            over = true;
            taskwait(current());
        });
        EXPECT_EQ(alive, 0);
        return found;
    };
    in_team(2, [] {});
    for (int times = 0; times < 64; ++times) ASSERT_EQ(part_behind(4), 0);
    EXPECT_EQ(part_behind(100), 64);
}

// So that it need not steal each by itself.
TEST(WaitingInTasks, AThreadTakesSeveralDescendantsOfTheTaskInWhichItWaits) {
    in_team(2, [] {});
    std::size_t most_left = 0;
    // Whether the thief comes before the owner is through is chance.
    for (int times = 0; most_left == 0 && times < 1000; ++times) {
        in_team(2, [&] {
            submit(make([](TestTask&) {}));
            TestTask& waiting = make([&](TestTask&) {
                std::atomic<bool> begun{false};
                std::atomic<int> left{64};
                Thread& thief = current();
                submit(make([&](TestTask&) {
                    begun = true;
                    if (&current() == &thief) return;
                    for (int i = 0; i < 64; ++i) {
                        submit(make([&](TestTask&) {
                            --left;
                            if (&current() != &thief) return;
                            const TaskDeque* const deque = thief.tasks.deque.load();
                            most_left = std::max(most_left, deque->size_hint());
                        }));
                    }
                    while (left != 0) taskyield(current());
                }));
                while (!begun) std::this_thread::yield();
                taskwait(current());
            });
            submit(waiting, {}, true);
        });
        ASSERT_EQ(alive, 0);
    }
    EXPECT_GT(most_left, 0u);
}

}  // namespace
}  // namespace gossamer::omp
