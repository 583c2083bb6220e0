// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "omp/task/depend.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace gossamer::omp {
namespace {

using enum DependKind;

class Depend : public testing::Test {
protected:
    struct Node : Task {
        DependEntry slots[DependTable::entries_for(4)];
    };

    bool add(Node& node, std::vector<Dependence> what) { return table.add(node, what, node.slots); }

    // A task with these dependences comes and goes.
    void passes(std::vector<Dependence> what) {
        Node probe;
        ASSERT_TRUE(add(probe, what));
        EXPECT_EQ(table.remove(probe), nullptr);
    }

    // Returns how many tasks may run now.
    int complete(Node& node) {
        int ready = 0;
        for (Task* at = table.remove(node); at != nullptr; at = at->next) ++ready;
        return ready;
    }

    DependTable table;
    int x = 0, y = 0;
};

TEST_F(Depend, ReadersWaitForWritersOnly) {
    Node write, read, read_again, write_again;
    EXPECT_TRUE(add(write, {{&x, exclusive}}));
    EXPECT_FALSE(add(read, {{&x, in}}));
    EXPECT_FALSE(add(read_again, {{&x, in}}));
    EXPECT_FALSE(add(write_again, {{&x, exclusive}}));
    EXPECT_EQ(complete(write), 2);
    EXPECT_EQ(complete(read), 0);
    EXPECT_EQ(complete(read_again), 1);
    EXPECT_EQ(complete(write_again), 0);
    EXPECT_EQ(table.live(), 0u);
}

TEST_F(Depend, AReaderThatComesWhileReadersRunNeedNotWait) {
    Node one, two, write, three;
    EXPECT_TRUE(add(one, {{&x, in}}));
    EXPECT_TRUE(add(two, {{&x, in}}));
    EXPECT_EQ(complete(one), 0);
    EXPECT_FALSE(add(write, {{&x, exclusive}}));
    EXPECT_FALSE(add(three, {{&x, in}}));
    EXPECT_EQ(complete(two), 1);
    EXPECT_EQ(complete(write), 1);
    EXPECT_EQ(complete(three), 0);
}

TEST_F(Depend, ASetWaitsForOthersNotForItself) {
    Node read, one, two, last;
    EXPECT_TRUE(add(read, {{&x, in}}));
    EXPECT_FALSE(add(one, {{&x, inoutset}}));
    EXPECT_FALSE(add(two, {{&x, inoutset}}));
    EXPECT_FALSE(add(last, {{&x, in}}));
    EXPECT_EQ(complete(read), 2);
    EXPECT_EQ(complete(two), 0);
    EXPECT_EQ(complete(one), 1);
    EXPECT_EQ(complete(last), 0);
}

TEST_F(Depend, ATaskDoesNotWaitForItself) {
    Node first, second, third;
    EXPECT_TRUE(add(first, {{&x, in}, {&y, in}, {&x, exclusive}, {&x, in}}));
    EXPECT_FALSE(add(second, {{&x, in}, {&y, in}}));
    EXPECT_FALSE(add(third, {{&y, in}, {&x, in}, {&x, exclusive}, {&y, exclusive}}));
    EXPECT_EQ(complete(first), 1);
    EXPECT_EQ(complete(second), 1);
    EXPECT_EQ(complete(third), 0);
}

TEST_F(Depend, ASecondItemOfTheSameTaskLeavesTheOthersOfItsRank) {
    Node other, both, after;
    EXPECT_TRUE(add(other, {{&x, in}}));
    EXPECT_FALSE(add(both, {{&x, in}, {&x, exclusive}}));
    EXPECT_FALSE(add(after, {{&x, in}}));
    EXPECT_EQ(complete(other), 1);
    EXPECT_EQ(complete(both), 1);
    EXPECT_EQ(complete(after), 0);
    EXPECT_EQ(table.live(), 0u);
}

TEST_F(Depend, AllMemoryWaitsForAllAndAllForIt) {
    Node one, two, all, after, again, last;
    int unrelated = 0;
    EXPECT_TRUE(add(one, {{&x, in}}));
    EXPECT_TRUE(add(two, {{&y, exclusive}}));
    EXPECT_FALSE(add(all, {{nullptr, all_memory}}));
    EXPECT_FALSE(add(after, {{&unrelated, exclusive}}));
    EXPECT_FALSE(add(again, {{&x, in}, {nullptr, all_memory}}));
    EXPECT_FALSE(add(last, {{&y, in}}));
    EXPECT_EQ(complete(one), 0);
    EXPECT_EQ(complete(two), 1);
    EXPECT_EQ(complete(all), 1);
    EXPECT_EQ(complete(after), 1);
    EXPECT_EQ(complete(again), 1);
    EXPECT_EQ(complete(last), 0);
    passes({{&x, exclusive}});
    passes({{nullptr, all_memory}});
}

TEST_F(Depend, ManyAddressesComeAndGo) {
    std::vector<int> memory(10000);
    for (int round = 0; round < 3; ++round) {
        std::vector<Node> nodes(memory.size()), behind(memory.size());
        for (std::size_t i = 0; i < memory.size(); ++i) {
            EXPECT_TRUE(add(nodes[i], {{&memory[i], exclusive}}));
            EXPECT_FALSE(add(behind[i], {{&memory[i], in}}));
        }
        for (Node& node : nodes) EXPECT_EQ(complete(node), 1);
        for (Node& node : behind) EXPECT_EQ(complete(node), 0);
        EXPECT_EQ(table.live(), 0u);
    }
}

TEST_F(Depend, AddressesWithoutTasksAreForgotten) {
    std::vector<int> memory(10000);
    Node stays;
    EXPECT_TRUE(add(stays, {{&x, exclusive}}));
    for (int& each : memory) passes({{&each, exclusive}});
    EXPECT_LE(table.addresses(), 64u);
    Node behind;
    EXPECT_FALSE(add(behind, {{&x, in}})) << "what still has tasks is not";
    EXPECT_EQ(complete(stays), 1);
    EXPECT_EQ(complete(behind), 0);
}

TEST_F(Depend, AllMemoryComesFirst) {
    passes({{nullptr, all_memory}});
    Node write, all;
    EXPECT_TRUE(add(write, {{&x, exclusive}}));
    EXPECT_FALSE(add(all, {{nullptr, all_memory}}));
    EXPECT_EQ(complete(write), 1);
    EXPECT_EQ(complete(all), 0);
}

TEST_F(Depend, LetsBeginWhatWouldWaitForNobody) {
    const auto lets = [this](std::vector<Dependence> what) { return table.lets_begin(what); };
    int unrelated = 0;
    EXPECT_TRUE(lets({{&x, exclusive}})) << "of an address that was never used";
    EXPECT_TRUE(lets({{nullptr, all_memory}}));
    Node read, too, write, behind;
    EXPECT_TRUE(add(read, {{&x, in}, {&y, exclusive}}));
    EXPECT_TRUE(add(too, {{&x, in}}));
    EXPECT_TRUE(lets({{&x, in}}));
    EXPECT_FALSE(lets({{&x, inoutset}}));
    EXPECT_FALSE(lets({{&x, exclusive}}));
    EXPECT_FALSE(lets({{&y, in}}));
    EXPECT_TRUE(lets({{&unrelated, exclusive}, {&x, in}}));
    EXPECT_FALSE(lets({{&unrelated, exclusive}, {&y, in}}));
    EXPECT_FALSE(lets({{nullptr, all_memory}}));
    EXPECT_FALSE(add(write, {{&x, exclusive}}));
    EXPECT_FALSE(lets({{&x, in}})) << "it would overtake the writer";
    EXPECT_FALSE(add(behind, {{&x, inoutset}}));
    EXPECT_EQ(complete(read), 0);
    EXPECT_TRUE(lets({{&y, exclusive}}));
    EXPECT_EQ(complete(too), 1);
    EXPECT_FALSE(lets({{&x, inoutset}})) << "the writer runs";
    EXPECT_EQ(complete(write), 1);
    EXPECT_TRUE(lets({{&x, inoutset}}));
    EXPECT_FALSE(lets({{&x, in}}));
    EXPECT_EQ(complete(behind), 0);
    EXPECT_TRUE(lets({{&x, exclusive}, {nullptr, all_memory}}));
}

TEST_F(Depend, NothingBeginsBesideAllMemory) {
    Node one, all, again;
    EXPECT_TRUE(add(one, {{&x, in}}));
    EXPECT_FALSE(add(all, {{nullptr, all_memory}}));
    EXPECT_FALSE(table.lets_begin(std::vector<Dependence>{{&y, in}}));
    EXPECT_EQ(complete(one), 1);
    EXPECT_FALSE(table.lets_begin(std::vector<Dependence>{{&y, in}}));
    EXPECT_EQ(complete(all), 0);
    EXPECT_TRUE(add(again, {{&x, in}}));
    EXPECT_TRUE(table.lets_begin(std::vector<Dependence>{{&y, in}}));
    EXPECT_EQ(complete(again), 0);
}

TEST_F(Depend, ASecondItemThatClosesAnAddressClosesItsGate) {
    Node both, other, closes;
    EXPECT_TRUE(add(both, {{&x, in}, {&x, exclusive}}));
    EXPECT_FALSE(table.lets_begin(std::vector<Dependence>{{&x, in}}));
    EXPECT_EQ(complete(both), 0);
    EXPECT_TRUE(add(other, {{&x, in}}));
    EXPECT_FALSE(add(closes, {{&x, in}, {&x, exclusive}}));
    EXPECT_FALSE(table.lets_begin(std::vector<Dependence>{{&x, in}}));
    EXPECT_EQ(complete(other), 1);
    EXPECT_EQ(complete(closes), 0);
    EXPECT_TRUE(table.lets_begin(std::vector<Dependence>{{&x, exclusive}}));
}

TEST_F(Depend, AnIdleAddressBeginsAnew) {
    passes({{&x, exclusive}});
    Node read, read_too, write;
    EXPECT_TRUE(add(read, {{&x, in}})) << "nothing is left of the writer";
    EXPECT_TRUE(add(read_too, {{&x, in}}));
    EXPECT_FALSE(add(write, {{&x, exclusive}}));
    EXPECT_EQ(complete(read), 0);
    EXPECT_EQ(complete(read_too), 1);
    EXPECT_EQ(complete(write), 0);
}

}  // namespace
}  // namespace gossamer::omp
