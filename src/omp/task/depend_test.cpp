// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "omp/task/depend.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <vector>

namespace gossamer::omp {
namespace {

using enum DependKind;

class Depend : public testing::Test {
protected:
    struct Node : Task {
        DependEntry slots[4];
        ~Node() {
            while (successors != nullptr) {
                Successor* const edge = successors;
                successors = edge->next;
                std::free(edge);
            }
        }
    };

    void add(Node& node, std::vector<Dependence> what) { table.add(node, what, node.slots); }
    bool blocked(std::vector<Dependence> what) const { return table.in_the_way(what); }

    // As a completed task leaves: those behind it have one predecessor less.
    void complete(Node& node) {
        table.remove(node);
        for (Successor* edge = node.successors; edge != nullptr; edge = edge->next)
            --edge->task->predecessors;
    }

    DependTable table;
    int x = 0, y = 0;
};

TEST_F(Depend, ReadersWaitForWritersOnly) {
    Node write, read, read_again, write_again;
    EXPECT_FALSE(blocked({{&x, in}}));
    add(write, {{&x, exclusive}});
    EXPECT_TRUE(blocked({{&x, in}}));
    EXPECT_TRUE(blocked({{&x, exclusive}}));
    EXPECT_FALSE(blocked({{&y, exclusive}}));
    add(read, {{&x, in}});
    add(read_again, {{&x, in}});
    add(write_again, {{&x, exclusive}});
    EXPECT_EQ(write.predecessors, 0u);
    EXPECT_EQ(read.predecessors, 1u);
    EXPECT_EQ(read_again.predecessors, 1u);
    EXPECT_EQ(write_again.predecessors, 3u);
    complete(write);
    EXPECT_EQ(read.predecessors, 0u);
    complete(read);
    complete(read_again);
    EXPECT_EQ(write_again.predecessors, 0u);
    complete(write_again);
    EXPECT_FALSE(blocked({{&x, exclusive}}));
}

TEST_F(Depend, ASetWaitsForOthersNotForItself) {
    Node read, one, two, last;
    add(read, {{&x, in}});
    add(one, {{&x, inoutset}});
    add(two, {{&x, inoutset}});
    add(last, {{&x, in}});
    EXPECT_EQ(one.predecessors, 1u);
    EXPECT_EQ(two.predecessors, 1u);
    EXPECT_EQ(last.predecessors, 2u);
}

TEST_F(Depend, TwoSharedAddressesAreOneEdge) {
    Node first, second;
    add(first, {{&x, exclusive}, {&y, exclusive}});
    add(second, {{&x, in}, {&y, exclusive}, {&x, in}});
    EXPECT_EQ(second.predecessors, 1u);
}

TEST_F(Depend, AChainOfWritersWaitsForItsLastOnly) {
    Node one, two, three;
    add(one, {{&x, exclusive}});
    add(two, {{&x, exclusive}});
    add(three, {{&x, exclusive}});
    EXPECT_EQ(two.predecessors, 1u);
    EXPECT_EQ(three.predecessors, 1u) << "two waits for one already";
    complete(one);
    EXPECT_TRUE(blocked({{&x, in}}));
    complete(two);
    complete(three);
    EXPECT_FALSE(blocked({{&x, in}}));
}

TEST_F(Depend, AllMemoryWaitsForAllAndAllForIt) {
    Node one, two, all, after;
    add(one, {{&x, in}});
    add(two, {{&y, exclusive}});
    EXPECT_TRUE(blocked({{nullptr, all_memory}}));
    add(all, {{nullptr, all_memory}});
    EXPECT_EQ(all.predecessors, 2u);
    int unrelated = 0;
    EXPECT_TRUE(blocked({{&unrelated, in}}));
    add(after, {{&unrelated, exclusive}});
    EXPECT_EQ(after.predecessors, 1u);
    complete(one);
    complete(two);
    EXPECT_EQ(all.predecessors, 0u);
    EXPECT_TRUE(blocked({{&y, in}}));
    complete(all);
    EXPECT_EQ(after.predecessors, 0u);
    EXPECT_FALSE(blocked({{&y, in}}));
}

} // namespace
} // namespace gossamer::omp
