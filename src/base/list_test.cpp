// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/list.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <list>
#include <vector>

#include "base/random.hpp"

namespace gossamer {
namespace {

struct Node {
    explicit Node(int value = 0) : number(value) {}

    int number;
    Node* next = nullptr;
    ListLink<Node> link;
};

using Stack = IntrusiveStack<Node, &Node::next>;
using List = IntrusiveList<Node, &Node::link>;

std::vector<int> numbers_of(const List& list) {
    std::vector<int> numbers;
    for (const Node& node : list) numbers.push_back(node.number);
    return numbers;
}

std::vector<int> backwards(const List& list) {
    std::vector<int> numbers;
    for (Node* node = list.back(); node != nullptr; node = List::previous_of(node)) numbers.push_back(node->number);
    return numbers;
}

TEST(IntrusiveStack, LastInFirstOut) {
    std::array<Node, 3> nodes{Node{1}, Node{2}, Node{3}};
    Stack stack;
    EXPECT_TRUE(stack.empty());
    EXPECT_EQ(stack.pop(), nullptr);
    for (Node& node : nodes) stack.push(&node);
    EXPECT_EQ(stack.top(), &nodes[2]);
    EXPECT_EQ(stack.pop(), &nodes[2]);
    EXPECT_EQ(nodes[2].next, nullptr);
    Node* chain = stack.take_all();
    EXPECT_TRUE(stack.empty());
    EXPECT_EQ(chain, &nodes[1]);
    EXPECT_EQ(chain->next, &nodes[0]);
    EXPECT_EQ(nodes[0].next, nullptr);
}

TEST(IntrusiveList, InsertsBeforeAnElement) {
    std::array<Node, 3> nodes{Node{1}, Node{2}, Node{3}};
    List list;
    list.push_back(&nodes[2]);
    list.insert_before(&nodes[0], &nodes[2]);
    list.insert_before(&nodes[1], &nodes[2]);
    EXPECT_EQ(numbers_of(list), (std::vector<int>{1, 2, 3}));
    EXPECT_EQ(backwards(list), (std::vector<int>{3, 2, 1}));
}

TEST(IntrusiveList, TakesAnotherListBehind) {
    std::array<Node, 4> nodes{Node{1}, Node{2}, Node{3}, Node{4}};
    List left;
    List right;
    left.take_back(right);
    EXPECT_TRUE(left.empty());
    right.push_back(&nodes[0]);
    right.push_back(&nodes[1]);
    left.take_back(right);
    EXPECT_TRUE(right.empty());
    right.push_back(&nodes[2]);
    right.push_back(&nodes[3]);
    left.take_back(right);
    EXPECT_EQ(numbers_of(left), (std::vector<int>{1, 2, 3, 4}));
    EXPECT_EQ(backwards(left), (std::vector<int>{4, 3, 2, 1}));
    EXPECT_EQ(right.back(), nullptr);
}

// Every operation against std::list.
TEST(IntrusiveList, AgreesWithTheStandardList) {
    std::array<Node, 16> nodes;
    for (std::size_t i = 0; i < nodes.size(); ++i) nodes[i].number = static_cast<int>(i);
    List list;
    std::list<int> expected;
    Random random(11);
    for (int step = 0; step < 20000; ++step) {
        Node& node = nodes[random.below(nodes.size())];
        auto at = std::find(expected.begin(), expected.end(), node.number);
        bool inside = at != expected.end();
        switch (random.below(4)) {
            case 0:
                if (!inside) list.push_front(&node), expected.push_front(node.number);
                break;
            case 1:
                if (!inside) list.push_back(&node), expected.push_back(node.number);
                break;
            case 2:
                if (inside) list.remove(&node), expected.erase(at);
                break;
            default:
                Node* popped = random.one_in(2) ? list.pop_front() : list.pop_back();
                ASSERT_EQ(popped == nullptr, expected.empty());
                if (popped != nullptr) {
                    bool was_front = popped->number == expected.front();
                    ASSERT_TRUE(was_front || popped->number == expected.back());
                    was_front ? expected.pop_front() : expected.pop_back();
                }
        }
        ASSERT_EQ(numbers_of(list), std::vector<int>(expected.begin(), expected.end()));
        ASSERT_EQ(backwards(list), std::vector<int>(expected.rbegin(), expected.rend()));
    }
}

}  // namespace
}  // namespace gossamer
