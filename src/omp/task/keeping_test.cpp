// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which tasks a thread puts off for others, and which it keeps and executes at once (spared.hpp, way_of in plain.hpp).
#include "omp/task/tasking.hpp"

#include <gtest/gtest.h>

#include <new>
#include <vector>

#include "omp/task/task_for_test.hpp"
#include "omp/team/team.hpp"

namespace gossamer::omp {
namespace {

void forget_loots(ThreadTasks& tasks) {
    ::new (&tasks.spared) Spared;
    tasks.kept = 0;
    tasks.keeps_unasked = 0;
}

// As if others had found what it has to give poor, again and again: `spared` is left alone for a long time.
void leave_alone(ThreadTasks& tasks) {
    const std::uint64_t theft = fiber::cycles_in(100'000'000);
    std::uint64_t now = arch::cycles() - Spared::often * theft;
    for (std::uint64_t pauses = 1; pauses <= Spared::often; pauses *= 2) {
        tasks.spared.judge(0, now, theft, 0, 0, tasks.kept);
        now += pauses * theft;
    }
    ASSERT_TRUE(tasks.spared.is_left_alone());
}

TEST(TeamTasks, WhoseTasksTakeLongDoesNotKeepThem) {
    beside_a_busy_one([](Team& team) {
        Thread& thread = team.threads[0];
        Spared& spared = thread.tasks.spared;
        bool executed = false;
        forget_loots(thread.tasks);
        leave_alone(thread.tasks);
        thread.tasks.kept += 16;
        EXPECT_FALSE(spared.is_spared(arch::cycles() + Spared::often * fiber::cycles_in(100'000'000), thread.tasks.kept));
        leave_alone(thread.tasks);
        submit(make([&](TestTask&) { executed = true; }), writes_x);
        EXPECT_FALSE(executed);
        taskwait(thread);
        EXPECT_TRUE(executed);
        forget_loots(thread.tasks);
    });
    EXPECT_EQ(alive, 0);
}

TEST(TeamTasks, WhoIsLeftAloneKeepsTasksWithDependences) {
    beside_a_busy_one([](Team& team) {
        Thread& thread = team.threads[0];
        std::vector<int> order;
        const auto note = [&order](int number) -> TestTask& {
            return make([&order, number](TestTask&) { order.push_back(number); });
        };
        forget_loots(thread.tasks);
        for (int i = 0; i < 3; ++i) submit(note(i), writes_x);
        EXPECT_TRUE(order.empty());
        leave_alone(thread.tasks);
        submit(note(3), writes_x);
        EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 3}));  // with those that it had put off
        EXPECT_EQ(thread.task->depends->live(), 0u);
        EXPECT_EQ(thread.tasks.kept.load(), 4u);
        EXPECT_TRUE(call_is_enough(thread));
        EXPECT_EQ(thread.tasks.kept.load(), 5u);
        submit(note(4));
        EXPECT_EQ(order.size(), 4u);  // one without may be for others
        taskwait(thread);
        thread.tasks.spared.judge(UINT64_MAX, 0, 1, 0, 0, thread.tasks.kept);
        EXPECT_FALSE(call_is_enough(thread));
        submit(note(5), writes_x);
        EXPECT_EQ(order.size(), 5u);  // it is not left alone any more
        taskwait(thread);
    });
    EXPECT_EQ(alive, 0);
}

TEST(TeamTasks, WhereTasksAreNotWorthStealingFewArePutOff) {
    beside_a_busy_one([](Team& team) {
        Thread& thread = team.threads[0];
        int executed = 0;
        const auto generate = [&] {
            for (int i = 0; i < enough_tasks; ++i) submit(make([&executed](TestTask&) { ++executed; }));
            const int at_once = executed;
            taskwait(thread);
            executed = 0;
            return at_once;
        };
        generate();
        TaskDeque& deque = *thread.tasks.deque.load();
        if (!deque.is_quick()) GTEST_SKIP() << "the deque goes no quick ways here";
        deque.limit_quick(few_tasks);
        EXPECT_GT(generate(), enough_tasks / 2);
        deque.limit_quick(enough_tasks);
        EXPECT_EQ(generate(), 0);
        EXPECT_EQ(deque.quick(), enough_tasks);
        deque.limit_quick(INT64_MAX);
        EXPECT_EQ(deque.quick(), enough_tasks) << "it goes them for no more";
    });
    EXPECT_EQ(alive, 0);
}

TEST(TeamTasks, OneForEachOtherThreadIsPutOff) {
    constexpr std::uint32_t threads = 40;
    beside_busy_ones(threads, [](Team& team) {
        Thread& thread = team.threads[0];
        thread.tasks.deque.load()->limit_quick(few_tasks);
        std::uint32_t executed = 0;
        for (std::uint32_t num = 1; num < threads; ++num) submit(make([&executed](TestTask&) { ++executed; }));
        EXPECT_EQ(executed, 0u);
        taskwait(thread);
        EXPECT_EQ(executed, threads - 1);
    });
    EXPECT_EQ(alive, 0);
}

TEST(TeamTasks, ADeepOneIsPutOffWhileTheDequeHasRoomAndThenCalled) {
    beside_a_busy_one([](Team& team) {
        Thread& thread = team.threads[0];
        Task& parent = *thread.task;
        const std::uint32_t depth = parent.depth.load(std::memory_order_relaxed);
        parent.depth.store(deep_nesting, std::memory_order_relaxed);
        const auto way = [&] {
            while (fiber::mode_is_on(fiber::mode_asked)) fiber::scheduling_point();
            return way_of(thread, parent);
        };
        submit(make([](TestTask&) {}));
        TaskDeque& deque = *thread.tasks.deque.load();
        if (deque.is_quick()) {
            while (deque.has_room()) {
                EXPECT_EQ(way(), Way::deferred);
                submit(make([](TestTask&) {}));
            }
            EXPECT_EQ(way(), Way::at_once);
        }
        parent.depth.store(depth, std::memory_order_relaxed);
        taskwait(thread);
    });
    EXPECT_EQ(alive, 0);
}

TEST(TeamTasks, WhoKeepsTasksAsksNowAndThenWhetherItMay) {
    beside_a_busy_one([](Team& team) {
        Thread& thread = team.threads[0];
        forget_loots(thread.tasks);
        leave_alone(thread.tasks);
        thread.tasks.keeps_unasked = 0;
        EXPECT_TRUE(call_is_enough(thread));
        const std::uint64_t small_task = thread.tasks.small_task_cycles;
        thread.tasks.small_task_cycles = 0;  // as if all its tasks took long
        int more = 0;
        while (more < 1000 && call_is_enough(thread)) ++more;
        EXPECT_GT(more, 0);
        EXPECT_LT(more, 20);
        thread.tasks.small_task_cycles = small_task;
        forget_loots(thread.tasks);
    });
}

TEST(TeamTasks, WhoIsLeftAloneAgainExecutesWhatItHasPutOffMeanwhile) {
    beside_a_busy_one([](Team& team) {
        Thread& thread = team.threads[0];
        int executed = 0;
        const auto one_more = [&executed]() -> TestTask& { return make([&executed](TestTask&) { ++executed; }); };
        forget_loots(thread.tasks);
        leave_alone(thread.tasks);
        submit(one_more(), writes_x);
        EXPECT_EQ(executed, 1);
        thread.tasks.spared.judge(UINT64_MAX, 0, 1, 0, 0, thread.tasks.kept);  // not left alone
        submit(one_more(), writes_x);
        EXPECT_EQ(executed, 1);
        leave_alone(thread.tasks);
        submit(one_more(), writes_x);
        EXPECT_EQ(executed, 3);
        taskwait(thread);
        forget_loots(thread.tasks);
    });
    EXPECT_EQ(alive, 0);
}

TEST(TeamTasks, WhoKeepsTasksLooksForPredecessorsThatAreNotComplete) {
    beside_a_busy_one([](Team& team) {
        Thread& thread = team.threads[0];
        Task* event = nullptr;
        bool executed = false;
        forget_loots(thread.tasks);
        leave_alone(thread.tasks);
        submit(make([&](TestTask& task) { event = &task; }, true), writes_x);
        ASSERT_NE(event, nullptr);
        EXPECT_FALSE(call_is_enough(thread));
        submit(make([&](TestTask&) { executed = true; }), writes_x);
        EXPECT_FALSE(executed);
        task_fulfil(*event);
        taskwait(thread);
        EXPECT_TRUE(executed);
        forget_loots(thread.tasks);
    });
    EXPECT_EQ(alive, 0);
}

// What it has put off asks to be called again until what the construct precedes has happened.
TEST(TeamTasks, WhoKeepsTasksDoesNotWaitForThoseThatItHasPutOff) {
    static bool happened;
    static const TaskKind again{[](Task& task) { return happened && kind.run(task); }, nullptr, kind.dispose};
    happened = false;
    beside_a_busy_one([](Team& team) {
        Thread& thread = team.threads[0];
        ++alive;
        TestTask& task = new_task<TestTask>(thread, again);
        task.block = [](TestTask&) {};
        forget_loots(thread.tasks);
        submit(task, {{&again, DependKind::exclusive}});
        leave_alone(thread.tasks);
        submit(make([](TestTask&) {}), writes_x);
        happened = true;
        taskwait(thread);
        forget_loots(thread.tasks);
    });
    EXPECT_EQ(alive, 0);
}

}  // namespace
}  // namespace gossamer::omp
