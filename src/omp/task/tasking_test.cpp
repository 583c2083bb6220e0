// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "omp/task/tasking.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "omp/task/plain.hpp"
#include "omp/task/task_for_test.hpp"
#include "omp/team/team.hpp"

namespace gossamer::omp {
namespace {

TEST(Tasking, AnOrdinaryTaskRunsAtOnceAndIsGone) {
    bool ran = false;
    Task* const generating = current().task;
    submit(make([&](TestTask& task) {
        ran = true;
        EXPECT_EQ(current().task, &task);
        EXPECT_EQ(task.parent.load(std::memory_order_relaxed), generating);
    }));
    EXPECT_TRUE(ran);
    EXPECT_EQ(alive, 0);
    EXPECT_EQ(current().task, generating);
}

TEST(Tasking, TheDataEnvironmentIsInherited) {
    submit(make(
        [](TestTask& outer) {
            EXPECT_TRUE(outer.icvs.final);
            current().change_icvs().nthreads = 11;
            submit(make([](TestTask& inner) {
                EXPECT_TRUE(inner.icvs.final);
                EXPECT_EQ(inner.icvs.nthreads, 11u);
                inner.icvs.nthreads = 12;
            }));
            EXPECT_EQ(current().icvs().nthreads, 11u);
        },
        false, true));
    EXPECT_FALSE(current().icvs().final);
    EXPECT_NE(current().icvs().nthreads, 11u);
}

TEST(Tasking, TaskwaitWaitsForTheEvent) {
    Task* event = nullptr;
    submit(make([&](TestTask& task) { event = &task; }, true));
    EXPECT_EQ(alive, 1);
    std::atomic<bool> fulfilled{false};
    std::thread helper([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        fulfilled = true;
        task_fulfil(*event);
    });
    taskwait(current());
    EXPECT_TRUE(fulfilled);
    helper.join();
    EXPECT_EQ(alive, 0);
}

TEST(Tasking, AnEventFulfilledInTheBlockLeavesNothingToWaitFor) {
    submit(make([](TestTask& task) { task_fulfil(task); }, true));
    EXPECT_EQ(alive, 0);
    taskwait(current());
}

TEST(Tasking, ATaskBehindADetachedOneIsDeferred) {
    Task* event = nullptr;
    int order = 0, second = 0, third = 0, other = 0;
    submit(make([&](TestTask& task) { event = &task; }, true), writes_x);
    submit(make([&](TestTask&) { second = ++order; }), writes_x);
    submit(make([&](TestTask&) { third = ++order; }), writes_x);
    int unrelated = 0;
    submit(make([&](TestTask&) { other = ++order; }), {{&unrelated, DependKind::exclusive}});
    EXPECT_EQ(other, 1);
    EXPECT_EQ(second, 0);
    task_fulfil(*event);
    EXPECT_EQ(second, 0) << "nobody executes it here";
    taskwait(current());
    EXPECT_EQ(second, 2);
    EXPECT_EQ(third, 3);
    EXPECT_EQ(alive, 0);
}

TEST(Tasking, AnUndeferredTaskWaitsForItsPredecessors) {
    Task* event = nullptr;
    bool fulfilled = false;
    submit(make([&](TestTask& task) { event = &task; }, true), writes_x);
    std::thread helper([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        fulfilled = true;
        task_fulfil(*event);
    });
    submit(make([&](TestTask&) { EXPECT_TRUE(fulfilled); }), writes_x, true);
    helper.join();
    EXPECT_EQ(alive, 0);
}

TEST(Tasking, TaskwaitWithDependencesWaitsForThoseOnly) {
    Task *mine = nullptr, *other = nullptr;
    int y = 0;
    submit(make([&](TestTask& task) { mine = &task; }, true), writes_x);
    submit(make([&](TestTask& task) { other = &task; }, true), {{&y, DependKind::exclusive}});
    std::thread helper([&] { task_fulfil(*mine); });
    taskwait(current(), writes_x);
    helper.join();
    EXPECT_EQ(alive, 1);
    task_fulfil(*other);
    taskwait(current());
    EXPECT_EQ(alive, 0);
}

TEST(Tasking, TaskwaitNowaitOrdersWhatComesLater) {
    Task* event = nullptr;
    int y = 0;
    bool ran = false;
    submit(make([&](TestTask& task) { event = &task; }, true), writes_x);
    const std::vector<Dependence> both{{&x, DependKind::in}, {&y, DependKind::exclusive}};
    taskwait_nowait(current(), both);
    submit(make([&](TestTask&) { ran = true; }), {{&y, DependKind::in}});
    EXPECT_FALSE(ran);
    task_fulfil(*event);
    taskwait(current());
    EXPECT_TRUE(ran);
    EXPECT_EQ(alive, 0);
}

TEST(Tasking, ChildrenOutliveTheirParent) {
    Task* event = nullptr;
    bool ran = false;
    taskgroup_begin(current());
    submit(make([&](TestTask&) {
        submit(make([&](TestTask& task) { event = &task; }, true), writes_x);
        submit(make([&](TestTask&) { ran = true; }), writes_x);
    }));
    EXPECT_EQ(alive, 3) << "the parent goes with the last of them";
    taskwait(current());  // they are no children of this task
    EXPECT_EQ(alive, 3);
    task_fulfil(*event);
    taskgroup_end(current());
    EXPECT_TRUE(ran);
    EXPECT_EQ(alive, 0);
}

TEST(Tasking, ManyEventsFromManyThreads) {
    constexpr int threads = 3, each = 300;
    std::vector<Task*> events(threads * each);
    std::atomic<int> ran{0};
    for (Task*& event : events) {
        submit(make([&](TestTask& task) { event = &task; }, true), {{&event, DependKind::exclusive}});
        submit(make([&](TestTask&) { ++ran; }), {{&event, DependKind::in}});
    }
    std::vector<std::thread> helpers;
    for (int t = 0; t < threads; ++t) {
        helpers.emplace_back([&, t] {
            for (int i = 0; i < each; ++i) task_fulfil(*events[static_cast<std::size_t>(i * threads + t)]);
        });
    }
    finish_tasks(current());
    EXPECT_EQ(ran.load(), threads * each);
    for (std::thread& helper : helpers) helper.join();
    EXPECT_EQ(alive, 0);
}

// Returns the task that was called.
template <class Block>
Task* called(const Block& block, bool untied = false, bool final = false) {
    Task* task = nullptr;
    call_task(current(), *current().task, untied, final, [&] {
        task = current().task;
        block(*task);
    });
    return task;
}

TEST(CalledTasks, TheNextOneHasTheSameDescriptorAndNothingElseOfTheLast) {
    Thread& thread = current();
    Task* const parent = thread.task;
    Task* const first = called(
        [](Task& task) {
            EXPECT_TRUE(task.icvs.final);
            EXPECT_NE(task.scope.load(std::memory_order_relaxed), nullptr);
            current().change_icvs().nthreads = 11;
        },
        true, true);
    EXPECT_EQ(thread.task, parent);
    Task* const second = called([&](Task& task) {
        EXPECT_FALSE(task.icvs.final);
        EXPECT_NE(task.icvs.nthreads, 11u);
        EXPECT_EQ(task.scope.load(std::memory_order_relaxed), nullptr);
        EXPECT_EQ(task.parent.load(std::memory_order_relaxed), parent);
        EXPECT_EQ(task.depth.load(std::memory_order_relaxed), parent->depth.load(std::memory_order_relaxed) + 1);
        Task* const inner = called([&](Task& nested) {
            EXPECT_EQ(nested.parent.load(std::memory_order_relaxed), &task);
            EXPECT_EQ(nested.executor.load(std::memory_order_relaxed), &thread);
        });
        EXPECT_NE(inner, &task);
    });
    EXPECT_EQ(first, second);
}

TEST(CalledTasks, OneThatHasADescendantIsNotKept) {
    Thread& thread = current();
    Task* event = nullptr;
    Task* const left = called([&](Task&) { submit(make([&](TestTask& task) { event = &task; }, true)); });
    Task* const next = called([&](Task& task) { EXPECT_NE(&task, left); });
    EXPECT_NE(next, left);
    EXPECT_EQ(thread.task->children.here, 0);  // it is complete
    EXPECT_EQ(thread.task->family.here, 1);    // and not gone
    task_fulfil(*event);
    finish_tasks_of(thread);
    EXPECT_EQ(alive, 0);
}

void call_nested(std::uint32_t levels) {
    called([&](Task&) {
        if (levels > 1) call_nested(levels - 1);
    });
}

TEST(CalledTasks, AsManyAreKeptAsWereNestedToABound) {
    const Thread& thread = current();
    const auto kept = [&] {
        std::uint32_t count = 0;
        for (const Task* task = thread.tasks.called; task != nullptr; task = task->next) ++count;
        return count;
    };
    call_nested(5);
    const std::uint32_t few = kept();
    EXPECT_GE(few, 5u);
    call_nested(5);
    EXPECT_EQ(kept(), few);
    call_nested(2 * most_kept);
    EXPECT_LT(kept(), most_kept);
}

constexpr TaskKind blank_kind{nullptr, nullptr, nullptr};

// Executes a task with so many bytes behind it within its construct, as an ABI does that has it made before it is submitted.
template <class Block>
Task* executed_here(std::size_t bytes, const Block& block) {
    Thread& thread = current();
    const std::uint8_t size_class = BlockCache::class_of(sizeof(Task) + bytes);
    thread.tasks.blocks.give(size_class, thread.tasks.blocks.take(size_class));  // so that the cache holds a block
    Task* const task = new_or_blank_task<Task>(thread, *thread.task, blank_kind, bytes);
    task_begin(thread, *task);
    block(*task);
    task_end(thread, *task);
    return task;
}

std::uint32_t blanks() {
    std::uint32_t count = 0;
    for (const Task* task = current().tasks.blank; task != nullptr; task = task->next) ++count;
    return count;
}

TEST(BlankTasks, TheNextOneOfItsSizeIsTheSameAndBeginsAsItsParentSays) {
    Thread& thread = current();
    thread.tasks.drop_blanks();
    Icvs& ours = thread.change_icvs();
    const std::uint32_t before = ours.nthreads;
    Task* const first = executed_here(100, [&](Task& task) {
        EXPECT_EQ(thread.task, &task);
        task.icvs.nthreads = before + 1;  // its own, and nobody else's
        task.untie();
    });
    ours.nthreads = before + 2;
    Task* const second = executed_here(100, [&](Task& task) {
        EXPECT_EQ(task.icvs.nthreads, before + 2);
        EXPECT_EQ(task.scope.load(std::memory_order_relaxed), nullptr);
        const std::uint32_t depth = task.depth.load(std::memory_order_relaxed);
        Task* const inner = executed_here(100, [&](Task& nested) {
            EXPECT_EQ(nested.parent.load(std::memory_order_relaxed), &task);
            EXPECT_EQ(nested.counted_in, &task.family);
            EXPECT_EQ(nested.depth.load(std::memory_order_relaxed), depth + 1);
        });
        EXPECT_NE(inner, &task);
    });
    ours.nthreads = before;
    EXPECT_EQ(first, second);
    EXPECT_EQ(blanks(), 2u);
}

TEST(BlankTasks, OneOfAnotherSizeIsAnother) {
    Thread& thread = current();
    thread.tasks.drop_blanks();
    Task* const small = executed_here(100, [](Task&) {});
    Task* const large = executed_here(500, [](Task&) {});
    EXPECT_NE(small, large);
    EXPECT_EQ(blanks(), 1u);  // or two that alternate would add one each time
    EXPECT_EQ(executed_here(500, [](Task&) {}), large);
}

TEST(BlankTasks, OneThatHasADescendantIsNotKept) {
    Thread& thread = current();
    thread.tasks.drop_blanks();
    Task* event = nullptr;
    executed_here(100, [&](Task&) { submit(make([&](TestTask& task) { event = &task; }, true)); });
    EXPECT_EQ(blanks(), 0u);
    EXPECT_EQ(thread.task->family.here, 1);
    task_fulfil(*event);
    finish_tasks_of(thread);
    EXPECT_EQ(alive, 0);
}

int executed_by_generator;
constexpr TaskKind counting_kind{[](Task& task) {
                                     const Task& parent = *task.parent.load(std::memory_order_relaxed);
                                     // relaxed, both: only a thread itself stores its own address
                                     if (parent.executor.load(std::memory_order_relaxed) == &current()) ++executed_by_generator;
                                     return true;
                                 },
                                 nullptr, nullptr};

// Defers so many reusable tasks, one behind the other, waits for them, and returns how many of them their generator executed.
int deferred_and_awaited(int tasks) {
    Thread& thread = current();
    executed_by_generator = 0;
    const std::uint8_t size_class = BlockCache::class_of(sizeof(Task));
    for (int i = 0; i < tasks; ++i) {
        thread.tasks.blocks.give(size_class, thread.tasks.blocks.take(size_class));
        task_submit(thread, *new_or_blank_task<Task>(thread, *thread.task, counting_kind, 0), {}, false);
    }
    taskwait(thread);
    return executed_by_generator;
}

TEST(BlankTasks, ADeferredOneIsKeptIfItsGeneratorExecutesIt) {
    in_team(2, [] {
        Thread& thread = current();
        thread.tasks.drop_blanks();
        if (thread.num != 0) return;
        for (int rest = 100; rest > 0; --rest) EXPECT_EQ(blanks(), static_cast<std::uint32_t>(deferred_and_awaited(5)));
    });
}

TEST(BlankTasks, OneOfAnUntiedTaskIsNotKeptForThatMayHaveMovedMeanwhile) {
    in_team(2, [] {
        Thread& thread = current();
        thread.tasks.drop_blanks();
        if (thread.num != 0) return;
        executed_here(100, [](Task& task) {
            task.untie();
            deferred_and_awaited(5);
            EXPECT_EQ(blanks(), 0u);
        });
    });
}

void execute_nested(std::uint32_t levels) {
    executed_here(100, [&](Task&) {
        if (levels > 1) execute_nested(levels - 1);
    });
}

TEST(BlankTasks, AsManyAreKeptAsWereNestedToABound) {
    current().tasks.drop_blanks();
    execute_nested(5);
    EXPECT_EQ(blanks(), 5u);
    execute_nested(5);
    EXPECT_EQ(blanks(), 5u);
    execute_nested(2 * most_kept);
    EXPECT_LT(blanks(), most_kept);
}

// Whether each of so many tasks, each in the one before, was over when the one who generated it went on.
bool each_at_once(int levels) {
    bool over = false;
    submit(make([&over, levels](TestTask&) { over = levels == 1 || each_at_once(levels - 1); }));
    const bool at_once = over;
    taskwait(current());
    return at_once;
}

TEST(TasksOfOne, AreExecutedAtOnceHoweverDeepWhileThereIsAmpleStack) {
    in_team(2, [] {});
    // ThreadSanitizer's stacks are not what libc says.
    if (!fiber::has_ample_stack()) GTEST_SKIP() << "how much of the stack is left is not known";
    in_team(1, [] { EXPECT_TRUE(each_at_once(deep_nesting + 16)); });
    EXPECT_EQ(alive, 0);
}

}  // namespace
}  // namespace gossamer::omp
