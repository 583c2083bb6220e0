// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "base/base.hpp"
#include "omp/task/depend.hpp"

namespace gossamer::omp {
namespace {

using enum DependKind;

class Claims : public testing::Test {
protected:
    struct Node : Task {
        DependEntry slots[DependTable::entries_for(4)];
    };

    bool add(Node& node, std::vector<Dependence> what) { return table.add(node, what, node.slots); }

    // Returns the tasks that may run now.
    std::vector<Task*> complete(Node& node) {
        std::vector<Task*> ready;
        for (Task* at = table.remove(node); at != nullptr; at = at->next) ready.push_back(at);
        return ready;
    }

    using Tasks = std::vector<Task*>;

    DependTable table;
    int x = 0, y = 0, z = 0;
};

TEST_F(Claims, OneOfASetRunsAtATime) {
    Node one, two, three;
    EXPECT_TRUE(add(one, {{&x, mutexinoutset}}));
    EXPECT_FALSE(add(two, {{&x, mutexinoutset}}));
    EXPECT_FALSE(add(three, {{&x, mutexinoutset}}));
    EXPECT_EQ(complete(one), Tasks{&two}) << "the one that has waited longest";
    EXPECT_EQ(complete(two), Tasks{&three});
    EXPECT_EQ(complete(three), Tasks{});
    EXPECT_EQ(table.live(), 0u);
}

TEST_F(Claims, WhoWaitsForAnotherDependenceHoldsUpNobody) {
    Node write, first, second, third;
    EXPECT_TRUE(add(write, {{&y, exclusive}}));
    EXPECT_FALSE(add(first, {{&y, in}, {&x, mutexinoutset}}));
    EXPECT_TRUE(add(second, {{&x, mutexinoutset}}));
    EXPECT_EQ(complete(write), Tasks{}) << "the second has what the first needs";
    EXPECT_FALSE(add(third, {{&x, mutexinoutset}}));
    EXPECT_EQ(complete(second), Tasks{&first});
    EXPECT_EQ(complete(first), Tasks{&third});
    EXPECT_EQ(complete(third), Tasks{});
}

TEST_F(Claims, ASetComesAfterAndBeforeAllOthers) {
    for (const DependKind other : {in, inoutset, exclusive}) {
        Node before, one, two, after, again;
        EXPECT_TRUE(add(before, {{&x, other}}));
        EXPECT_FALSE(add(one, {{&x, mutexinoutset}}));
        EXPECT_FALSE(add(two, {{&x, mutexinoutset}}));
        EXPECT_FALSE(add(after, {{&x, other}}));
        EXPECT_FALSE(add(again, {{&x, mutexinoutset}}));
        EXPECT_EQ(complete(before), Tasks{&one});
        EXPECT_EQ(complete(one), Tasks{&two});
        EXPECT_EQ(complete(two), Tasks{&after});
        EXPECT_EQ(complete(after), Tasks{&again}) << "which is of another set";
        EXPECT_EQ(complete(again), Tasks{});
    }
}

TEST_F(Claims, SeveralAddressesAreClaimedTogetherOrNotAtAll) {
    Node of_x, of_both, of_y, of_all;
    EXPECT_TRUE(add(of_x, {{&x, mutexinoutset}}));
    EXPECT_FALSE(add(of_both, {{&y, mutexinoutset}, {&x, mutexinoutset}}));
    EXPECT_TRUE(add(of_y, {{&y, mutexinoutset}})) << "the task that waits for x has not claimed y";
    EXPECT_FALSE(add(of_all, {{&z, mutexinoutset}, {&y, mutexinoutset}, {&x, mutexinoutset}}));
    EXPECT_EQ(complete(of_x), Tasks{}) << "both still need y";
    EXPECT_EQ(complete(of_y), Tasks{&of_all}) << "who waited for y before the other did";
    EXPECT_EQ(complete(of_all), Tasks{&of_both});
    EXPECT_EQ(complete(of_both), Tasks{});
    EXPECT_EQ(table.live(), 0u);
}

TEST_F(Claims, WhatOneTaskGivesUpManyMayTake) {
    Node all, of_x, of_y, of_x_too;
    EXPECT_TRUE(add(all, {{&x, mutexinoutset}, {&y, mutexinoutset}}));
    EXPECT_FALSE(add(of_x, {{&x, mutexinoutset}}));
    EXPECT_FALSE(add(of_y, {{&y, mutexinoutset}}));
    EXPECT_FALSE(add(of_x_too, {{&x, mutexinoutset}}));
    EXPECT_EQ(complete(all), (Tasks{&of_x, &of_y}));
    EXPECT_EQ(complete(of_x), Tasks{&of_x_too});
    EXPECT_EQ(complete(of_y), Tasks{});
    EXPECT_EQ(complete(of_x_too), Tasks{});
}

TEST_F(Claims, AnAddressThatATaskNamesTwiceIsClaimedOnce) {
    Node twice, mixed, after;
    EXPECT_TRUE(add(twice, {{&x, mutexinoutset}, {&x, mutexinoutset}}));
    EXPECT_FALSE(add(mixed, {{&x, mutexinoutset}, {&x, in}}));
    EXPECT_FALSE(add(after, {{&x, in}, {&x, mutexinoutset}, {&y, mutexinoutset}}));
    EXPECT_EQ(complete(twice), Tasks{&mixed});
    EXPECT_EQ(complete(mixed), Tasks{&after});
    EXPECT_EQ(complete(after), Tasks{});
    Node first;
    EXPECT_TRUE(add(first, {{&x, mutexinoutset}, {&x, exclusive}}));
    EXPECT_EQ(complete(first), Tasks{});
}

TEST_F(Claims, AllMemoryKeepsOutASet) {
    Node one, two, all, three;
    EXPECT_TRUE(add(one, {{&x, mutexinoutset}}));
    EXPECT_FALSE(add(two, {{&x, mutexinoutset}}));
    EXPECT_FALSE(add(all, {{&x, mutexinoutset}, {nullptr, all_memory}}));
    EXPECT_FALSE(add(three, {{&x, mutexinoutset}}));
    EXPECT_EQ(complete(one), Tasks{&two});
    EXPECT_EQ(complete(two), Tasks{&all});
    EXPECT_EQ(complete(all), Tasks{&three});
    EXPECT_EQ(complete(three), Tasks{});
}

// Another of the set may become ready at any time, without the thread that adds tasks.
TEST_F(Claims, NoneBeginsBesideAnotherWithoutTheLock) {
    const std::vector<Dependence> what{{&x, mutexinoutset}};
    EXPECT_TRUE(table.lets_begin(what));
    Node write, waits;
    EXPECT_TRUE(add(write, {{&y, exclusive}}));
    EXPECT_FALSE(add(waits, {{&y, in}, {&x, mutexinoutset}}));
    EXPECT_FALSE(table.lets_begin(what));
    EXPECT_FALSE(table.lets_begin(std::vector<Dependence>{{&x, inoutset}}));
    EXPECT_EQ(complete(write), Tasks{&waits});
    EXPECT_FALSE(table.lets_begin(what));
    EXPECT_EQ(complete(waits), Tasks{});
    EXPECT_TRUE(table.lets_begin(what));
}

TEST_F(Claims, AnAwaitedTaskClaimsForItself) {
    Node write, one, awaited, other;
    awaited.awaited = true;
    EXPECT_TRUE(add(write, {{&y, exclusive}}));
    EXPECT_TRUE(add(one, {{&x, mutexinoutset}}));
    EXPECT_FALSE(add(other, {{&y, in}, {&x, mutexinoutset}}));
    EXPECT_FALSE(add(awaited, {{&x, mutexinoutset}}));
    EXPECT_EQ(complete(one), Tasks{&awaited}) << "which has no claim yet";
    EXPECT_EQ(complete(write), Tasks{&other});
    EXPECT_FALSE(table.claim(awaited));
    EXPECT_EQ(complete(other), Tasks{&awaited});
    EXPECT_TRUE(table.claim(awaited));
    EXPECT_EQ(complete(awaited), Tasks{});
}

TEST_F(Claims, AnAwaitedTaskComesBehindThoseBeforeIt) {
    Node one, two, awaited;
    awaited.awaited = true;
    EXPECT_TRUE(add(one, {{&y, mutexinoutset}, {&x, mutexinoutset}}));
    EXPECT_FALSE(add(awaited, {{&x, mutexinoutset}}));
    EXPECT_FALSE(add(two, {{&x, mutexinoutset}}));
    EXPECT_EQ(complete(one), Tasks{&two});
    EXPECT_EQ(complete(two), Tasks{&awaited});
    EXPECT_TRUE(table.claim(awaited));
    EXPECT_EQ(complete(awaited), Tasks{});
}

// Random tasks come and go, in any order that the table allows. It is compared with the definition: two tasks that name an
// address in ways that order them run in the order in which they came; two of a set never at once; and a task that nothing
// hinders runs.
class RandomTasks : public Claims {
protected:
    struct One {
        Node node;
        std::vector<Dependence> what;
        enum { waits, runs, over } state = waits;
    };

    // Why `later` may not run while `earlier` is not complete; 2: not before it; 1: not together with it; 0: it may.
    static int hinders(const One& earlier, const One& later) {
        int strongest = 0;
        for (const Dependence& a : earlier.what) {
            for (const Dependence& b : later.what) {
                if (a.kind == all_memory || b.kind == all_memory) return 2;
                if (a.address != b.address) continue;
                if (a.kind != b.kind || a.kind == exclusive) return 2;
                if (a.kind == mutexinoutset) strongest = 1;
            }
        }
        return strongest;
    }

    bool may_run(std::size_t which) const {
        for (std::size_t i = 0; i < all.size(); ++i) {
            if (i == which || all[i]->state == One::over) continue;
            const int why = i < which ? hinders(*all[i], *all[which]) : hinders(*all[which], *all[i]);
            if (i < which && why == 2) return false;
            if (why == 1 && all[i]->state == One::runs) return false;
        }
        return true;
    }

    std::vector<std::unique_ptr<One>> all;
};

TEST_F(RandomTasks, KeepTheDefinition) {
    constexpr int tasks = 60;
    constexpr std::uint32_t addresses = 5;
    int memory[addresses];
    for (std::uint64_t seed = 1; seed <= 400; ++seed) {
        Random random(seed);
        all.clear();
        std::size_t left = 0;
        const auto runs = [&](std::size_t which) {
            ASSERT_TRUE(may_run(which)) << "seed " << seed << ", task " << which;
            all[which]->state = One::runs;
        };
        const auto index_of = [&](const Task* task) {
            std::size_t which = 0;
            while (&all[which]->node != task) ++which;
            return which;
        };
        while (all.size() < tasks || left != 0) {
            if (all.size() < tasks && (left == 0 || random.one_in(2))) {
                all.push_back(std::make_unique<One>());
                One& one = *all.back();
                const std::uint32_t count = 1 + random.below(3);
                for (std::uint32_t i = 0; i < count; ++i) {
                    const std::uint32_t kind = random.below(8);
                    const bool same = i != 0 && random.one_in(8);
                    one.what.push_back(
                        {same ? one.what.back().address : &memory[random.below(addresses)], kind == 0   ? in
                                                                                            : kind == 1 ? inoutset
                                                                                            : kind == 2 ? exclusive
                                                                                                        : mutexinoutset});
                }
                if (random.one_in(40)) one.what.push_back({nullptr, all_memory});
                // The order of kinds that one task gives to one address is left open; the table makes it exclusive.
                for (Dependence& a : one.what) {
                    for (Dependence& b : one.what) {
                        if (a.address == b.address && a.kind != b.kind && b.kind != all_memory) a.kind = b.kind = exclusive;
                    }
                }
                ++left;
                if (table.add(one.node, one.what, one.node.slots)) runs(all.size() - 1);
                if (HasFatalFailure()) return;
            } else {
                std::size_t which = random.below(static_cast<std::uint32_t>(all.size()));
                while (all[which]->state != One::runs) which = (which + 1) % all.size();
                all[which]->state = One::over;
                --left;
                for (Task* at : complete(all[which]->node)) {
                    runs(index_of(at));
                    if (HasFatalFailure()) return;
                }
            }
            for (std::size_t i = 0; i < all.size(); ++i) {
                ASSERT_TRUE(all[i]->state != One::waits || !may_run(i)) << "seed " << seed << ": task " << i << " is forgotten";
            }
        }
        ASSERT_EQ(table.live(), 0u);
    }
}

}  // namespace
}  // namespace gossamer::omp
