// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tasks that several threads generate, steal and wait for.
#include "omp/task/tasking.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <thread>
#include <vector>

#include "omp/task/idle.hpp"
#include "omp/task/search.hpp"
#include "omp/task/second_look.hpp"
#include "omp/task/task_for_test.hpp"
#include "omp/task/wake.hpp"
#include "omp/team/member.hpp"
#include "omp/team/team.hpp"

namespace gossamer::omp {
namespace {

TEST(TeamTasks, EveryTaskRunsOnceByAThreadOfTheTeam) {
    constexpr int count = 5000;
    for (std::uint32_t size = 2; size <= 5; ++size) {
        std::vector<std::atomic<int>> runs(count);
        std::atomic<int> strangers{0};
        in_team(size, [&] {
            const Team* const team = current().team;
            for (std::atomic<int>& each : runs) {
                submit(make([&](TestTask& task) {
                    ++each;
                    if (current().team != team || current().task != &task) ++strangers;
                }));
            }
            taskwait(current());
            for (const std::atomic<int>& each : runs) EXPECT_EQ(each, 1);
        });
        EXPECT_EQ(strangers, 0);
        EXPECT_EQ(alive, 0);
    }
}

int tree(int depth) {
    if (depth == 0) return 1;
    int left = 0, right = 0;
    submit(make([&](TestTask&) { left = tree(depth - 1); }));
    submit(make([&](TestTask&) { right = tree(depth - 1); }));
    taskwait(current());
    return left + right;
}

TEST(TeamTasks, ATreeOfWaitingTasks) {
    for (std::uint32_t size = 2; size <= 4; ++size) {
        in_team(size, [] { EXPECT_EQ(tree(11), 1 << 11); });
        EXPECT_EQ(alive, 0);
    }
}

int mixed_tree(int depth, std::atomic<int>& left_behind) {
    if (depth == 0) return 1;
    int results[3] = {};
    for (int i = 0; i < 3; ++i) {
        TestTask& task = make([&left_behind, &results, i, depth](TestTask&) {
            if (depth == 2) submit(make([&left_behind](TestTask&) { ++left_behind; }));  // nobody waits for it here
            results[i] = mixed_tree(depth - 1, left_behind);
        });
        if ((depth + i) % 3 != 0) task.untie();
        submit(task, {}, i == 2 && depth % 2 == 0);
    }
    taskwait(current());
    return results[0] + results[1] + results[2];
}

TEST(TeamTasks, ATreeOfTiedAndUntiedTasks) {
    for (std::uint32_t size = 2; size <= 4; ++size) {
        std::atomic<int> left_behind{0};
        in_team(size, [&] { EXPECT_EQ(mixed_tree(7, left_behind), 2187); });
        EXPECT_EQ(left_behind, 729);
        EXPECT_EQ(alive, 0);
    }
}

// Runs then(thread) by the second of two threads, while the first has 50 tasks and does nothing but wait.
void beside_an_owner_of_tasks(void (*then)(Thread& thief)) {
    static std::atomic<bool> are_there, over;
    are_there = over = false;
    parallel(current(), 2, true,
             {[](Thread& thread, void*, void* data) {
                  if (thread.num == 0) {
                      for (int i = 0; i < 50; ++i) submit(make([](TestTask&) {}));
                      are_there = true;
                      while (!over) std::this_thread::yield();
                      return;
                  }
                  while (!are_there) std::this_thread::yield();
                  (*static_cast<void (**)(Thread&)>(data))(thread);
                  over = true;
              },
              &then});
    EXPECT_EQ(alive, 0);
}

// The other has pushed tasks that keep a thief without a deque busy for longer than a theft takes.
TEST(TeamTasks, WhomThievingKeepsBusyForLongStealsSeveral) {
    beside_an_owner_of_tasks([](Thread& thread) {
        TaskDeque* const earlier = thread.tasks.deque.exchange(nullptr);  // another test's
        thread.tasks.long_loots = 0;
        int thefts = 0;
        while (thread.tasks.deque == nullptr && thefts < 50) {
            Task* const task = find_task(thread, nullptr);
            if (task == nullptr) continue;  // the owner has no processor just now, and does not answer
            ++thefts;
            std::this_thread::sleep_for(std::chrono::microseconds(100));
            execute_deferred(thread, *task);
        }
        EXPECT_GT(thefts, 1);
        EXPECT_LT(thefts, 20);
        EXPECT_GT(thread.tasks.loot_tasks, 1u);
        std::free(earlier);  // whoever has looked into it meanwhile is through
    });
}

// A thief that gives way to other threads on its carrier does not count their time to what it has stolen.
TEST(TeamTasks, ALootIsJudgedBeforeOthersRun) {
    beside_an_owner_of_tasks([](Thread& thread) {
        thread.tasks.loot_at = 0;  // of another test's
        for (int executed = 0; executed < 50 && thread.tasks.loot_at == 0;) {
            Task* const task = find_task(thread, nullptr);  // stolen, or out of the shared queue
            if (task == nullptr) continue;                  // the owner has no processor just now, and does not answer
            ++executed;
            execute_deferred(thread, *task);
        }
        while (Task* const task = find_task(thread, nullptr, Thief::none)) execute_deferred(thread, *task);
        EXPECT_EQ(thread.tasks.loot_at, 0u);
    });
}

// The other thread is busy, so a chain is executed as it is generated.
TEST(TeamTasks, AChainStaysShortWhereNobodyLacksWork) {
    static std::atomic<bool> over;
    over = false;
    parallel(current(), 2, true,
             {[](Thread& thread, void*, void*) {
                  if (thread.num != 0) {
                      while (!over) std::this_thread::yield();
                      return;
                  }
                  int most = 0, executed = 0;
                  for (int i = 0; i < 900; ++i) {
                      submit(make([&, i](TestTask&) { EXPECT_EQ(executed++, i); }), writes_x);
                      most = std::max<int>(most, alive);
                  }
                  EXPECT_LT(most, 100);
                  taskwait(thread);
                  EXPECT_EQ(executed, 900);
                  over = true;
              },
              nullptr});
    EXPECT_EQ(alive, 0);
}

// A task is pushed and nobody is woken for it; who pushed it waits without a scheduling point, and the other has left.
TEST(TeamTasks, ASecondLookFindsATaskThatWasMissed) {
    static std::atomic<int> executed_by;
    executed_by = -1;
    parallel(current(), 2, true,
             {[](Thread& thread, void*, void*) {
                  if (thread.num != 0) return;
                  Team& team = *thread.team;
                  submit(make([](TestTask&) {}));  // makes the deque
                  taskwait(thread);
                  while (team.threads[1].retired != thread.epoch) std::this_thread::yield();
                  TestTask& task = make([](TestTask&) { executed_by = static_cast<int>(current().num); });
                  count_task(*thread.task, task);
                  ASSERT_TRUE(thread.tasks.deque.load()->push(&task));
                  request_second_look(team, SecondLook::later);
                  while (executed_by == -1) {}
              },
              nullptr});
    EXPECT_EQ(executed_by, 1);
    EXPECT_EQ(alive, 0);
}

// How often, of a thousand looks by `who` that were requested for a team without tasks, the request stays. The monitor may come
// between.
int stays_requested(Team& team, fiber::Looker who) {
    int times = 0;
    for (int i = 0; i < 1000; ++i) {
        request_second_look(team, SecondLook::later);
        take_second_looks(who);
        if (team.tasks.look_requested) ++times;
    }
    return times;
}

TEST(TeamTasks, WhoeverIsAtWorkInTheRegionIsCounted) {
    static Team* team;
    static std::atomic<int> arrived;
    arrived = 0;
    parallel(current(), 3, true,
             {[](Thread& thread, void*, void*) {
                  ++arrived;
                  while (arrived != 3) std::this_thread::yield();
                  EXPECT_GE(members_at_work(*thread.team), 1u);
                  if (thread.num != 0) return;
                  team = thread.team;
                  while (members_at_work(*team) != 1) std::this_thread::yield();  // the others come to their end
              },
              nullptr});
    EXPECT_EQ(members_at_work(*team), 0u);
}

TEST(TeamTasks, WhoLooksWithoutAFenceLeavesATeamWithoutTasksToOthers) {
    beside_a_busy_one([](Team& team) {
        EXPECT_GT(stays_requested(team, fiber::Looker::idle_carrier), 0);
        EXPECT_LT(stays_requested(team, fiber::Looker::parking_carrier), 1000);
        EXPECT_LT(stays_requested(team, fiber::Looker::monitor), 1000);
    });
}

TEST(TeamTasks, WhoFindsADequeLockedLeavesTheTeamToTheNextLook) {
    beside_a_busy_one([](Team& team) {
        Thread& me = current();
        TaskDeque& deque = *me.tasks.deque.load();
        std::atomic<bool> locked{false}, over{false};
        std::thread thief([&] {
            Task* got = nullptr;
            const auto linger = [&](const Task*) {
                locked = true;
                while (!over) std::this_thread::yield();
                return false;
            };
            while (!locked) deque.steal(&got, 1, linger, nullptr);
        });
        while (!locked) {
            if (deque.size_hint() != 0) continue;  // what was there the monitor has shared
            TestTask& task = make([](TestTask&) {});
            count_task(*me.task, task);
            ASSERT_TRUE(deque.push(&task));
        }
        EXPECT_GT(stays_requested(team, fiber::Looker::parking_carrier), 500);
        EXPECT_GT(stays_requested(team, fiber::Looker::monitor), 500);
        over = true;
        thief.join();
        taskwait(me);
    });
}

TEST(TeamTasks, WhoeverLooksSharesATaskThatLiesThere) {
    for (const auto who : {fiber::Looker::idle_carrier, fiber::Looker::parking_carrier, fiber::Looker::monitor}) {
        beside_a_busy_one([who](Team& team) {
            Thread& me = current();
            bool executed = false;
            TestTask& task = make([&executed](TestTask&) { executed = true; });
            count_task(*me.task, task);
            ASSERT_TRUE(me.tasks.deque.load()->push(&task));
            while (me.tasks.deque.load()->size_hint() != 0) {
                request_second_look(team, SecondLook::later);
                take_second_looks(who);
            }
            while (team.tasks.shared_queue().count() == 0) os::yield_native();  // it may be the monitor that shares it
            EXPECT_EQ(team.tasks.shared_queue().count(), 1u);
            taskwait(me);
            EXPECT_TRUE(executed);
        });
    }
    EXPECT_EQ(alive, 0);
}

// Those that come to the barrier with others ready behind them leave the tasks to these, and all lie there when one is pushed.
TEST(TeamTasks, ATaskIsFoundByWhoLiesAtTheBarrier) {
    constexpr std::uint32_t size = 9;
    for (int round = 0; round < 50; ++round) {
        in_team(size, [] {
            submit(make([](TestTask&) {}));
            taskwait(current());
            while (!others_have_arrived(current())) std::this_thread::yield();
            std::atomic<int> executed{0};
            for (int i = 0; i < 4; ++i) {
                submit(make([&](TestTask&) {
                    EXPECT_NE(current().num, 0u);
                    ++executed;
                }));
            }
            while (executed != 4) {}
        });
        EXPECT_EQ(alive, 0);
    }
}

// A child of `parent` that `owner` has deferred. A second look may have moved it.
Task* steal_child(const Task& parent, Thread& owner) {
    for (;; std::this_thread::yield()) {
        Task* task[1];
        TaskDeque& victim = *owner.tasks.deque.load();
        if (victim.steal(task, 1, [](const Task*) { return true; }, nullptr) != 0) return task[0];
        SharedQueue& queue = owner.team->tasks.shared_queue();
        SpinGuard guard(queue.lock, [] {});
        if (Task* const found =
                queue.take([&](const Task& each) { return each.parent.load(std::memory_order_relaxed) == &parent; }))
            return found;
    }
}

// What one waits for lies in another's deque, under a task that the one may not begin, and the other waits for it by means of
// its own.
TEST(TeamTasks, WhatLiesUnderAnotherTaskIsReached) {
    static std::atomic<int> step;
    step = 0;
    const auto come_to = [](int wanted) {
        while (step < wanted) std::this_thread::yield();
    };
    const auto hold = [](Thread& thread, void*, void* data) {
        const auto& wait_for = *static_cast<const decltype(come_to)*>(data);
        if (thread.num == 0) {
            wait_for(1);
            taskgroup_begin(thread);
            submit(make([](TestTask&) { submit(make([](TestTask&) {})); }));
            step = 2;
            wait_for(3);
            taskgroup_end(thread);
            step = 4;
        } else {
            submit(make([](TestTask&) {}));
            step = 1;
            wait_for(2);
            execute_deferred(thread, *steal_child(*thread.team->threads[0].task, thread.team->threads[0]));
            step = 3;
            while (step != 4) {}
        }
    };
    parallel(current(), 2, true, {hold, const_cast<void*>(static_cast<const void*>(&come_to))});
    EXPECT_EQ(step, 4);
    EXPECT_EQ(alive, 0);
}

TEST(TeamTasks, AGroupWaitsForDescendantsAndNotForOthers) {
    std::atomic<int> done{0};
    std::atomic<bool> go{false};
    in_team(3, [&] {
        submit(make([&](TestTask&) {
            while (!go) taskyield(current());
        }));
        taskgroup_begin(current());
        submit(make([&](TestTask&) {
            for (int i = 0; i < 10; ++i) submit(make([&](TestTask&) { ++done; }));
        }));
        taskgroup_end(current());
        EXPECT_EQ(done, 10);
        go = true;
    });
    EXPECT_EQ(alive, 0);
}

// As those of task reductions are: what is left open at the end of a region is not there in the next one.
TEST(TeamTasks, AGroupThatIsLeftOpenEndsWithItsRegion) {
    std::atomic<int> ran{0};
    for (int region = 0; region < 3; ++region) {
        parallel(current(), 4, true,
                 {[](Thread& thread, void*, void* data) {
                      EXPECT_EQ(thread.task->taskgroup, nullptr);
                      taskgroup_begin(thread);
                      submit(make([data](TestTask&) { ++*static_cast<std::atomic<int>*>(data); }));
                  },
                  &ran});
        EXPECT_EQ(ran, 4 * (region + 1));
    }
    EXPECT_EQ(alive, 0);
}

TEST(TeamTasks, DependencesOrderThem) {
    constexpr int steps = 300;
    int value = 0;
    std::atomic<int> reads{0}, wrong{0};
    in_team(4, [&] {
        for (int i = 0; i < steps; ++i) {
            submit(make([&, i](TestTask&) {
                       if (value++ != i) ++wrong;
                   }),
                   {{&value, DependKind::exclusive}});
            for (int j = 0; j < 3; ++j) {
                submit(make([&, i](TestTask&) {
                           ++reads;
                           if (value != i + 1) ++wrong;
                       }),
                       {{&value, DependKind::in}});
            }
        }
    });
    EXPECT_EQ(wrong, 0);
    EXPECT_EQ(value, steps);
    EXPECT_EQ(reads, 3 * steps);
    EXPECT_EQ(alive, 0);
}

TEST(TeamTasks, EventsFromOutsideCompleteThem) {
    constexpr int count = 2000;
    std::vector<std::atomic<Task*>> events(count);
    std::atomic<int> after{0};
    std::thread helper([&] {
        for (std::atomic<Task*>& each : events) {
            Task* event;
            while ((event = each.load()) == nullptr) std::this_thread::yield();
            task_fulfil(*event);
        }
    });
    in_team(3, [&] {
        for (std::atomic<Task*>& each : events) {
            submit(make([&](TestTask& task) { each = &task; }, true), {{&each, DependKind::exclusive}});
            submit(make([&](TestTask&) { ++after; }), {{&each, DependKind::in}});
        }
        taskwait(current());
        EXPECT_EQ(after, count);
    });
    helper.join();
    EXPECT_EQ(alive, 0);
}

TEST(TeamTasks, MembersThatHaveLeftComeBack) {
    constexpr int count = 3000;
    std::atomic<int> ran{0};
    for (int round = 0; round < 20; ++round) {
        parallel(current(), 4, true,
                 {[](Thread& thread, void*, void* data) {
                      if (thread.num != 1) return;
                      for (int i = 0; i < count; ++i)
                          submit(make([data](TestTask&) { ++*static_cast<std::atomic<int>*>(data); }));
                  },
                  &ran});
        EXPECT_EQ(ran, count * (round + 1));
    }
    EXPECT_EQ(alive, 0);
}

}  // namespace
}  // namespace gossamer::omp
