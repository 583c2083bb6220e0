// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fiber/nearest.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <vector>

#include "base/base.hpp"

namespace gossamer::fiber {
namespace {

using Order = std::unique_ptr<const Nearest, void (*)(const Nearest*)>;

template <class Distance>
Order make(std::uint32_t thief, std::uint32_t count, const Distance& distance) {
    return Order(Nearest::make(thief, count, distance), [](const Nearest* order) { std::free(const_cast<Nearest*>(order)); });
}

// 2 packages of 28 cores, one cache each.
std::uint32_t two_packages(std::uint32_t a, std::uint32_t b) { return a / 28 == b / 28 ? 1 : 4; }

// 4 nodes of 16 cores of 2 threads, numbered core by core; a cache for each 8 cores.
std::uint32_t four_nodes(std::uint32_t a, std::uint32_t b) {
    if (a / 2 == b / 2) return 0;
    if (a / 16 == b / 16) return 1;
    return a / 32 == b / 32 ? 2 : 4;
}

template <class Distance>
void every_victim_once_and_the_nearest_first(std::uint32_t count, const Distance& distance) {
    Random random(1);
    for (std::uint32_t thief = 0; thief < count; ++thief) {
        const Order order = make(thief, count, distance);
        std::set<std::uint32_t> firsts;
        for (int walk = 0; walk < 40; ++walk) {
            std::vector<std::uint32_t> asked;
            order->walk(random, [&](std::uint32_t victim) {
                asked.push_back(victim);
                return false;
            });
            ASSERT_EQ(asked.size(), count - 1);
            ASSERT_EQ(std::set<std::uint32_t>(asked.begin(), asked.end()).size(), count - 1);
            std::uint32_t reached = 0;
            for (const std::uint32_t victim : asked) {
                ASSERT_NE(victim, thief);
                ASSERT_GE(distance(thief, victim), reached);
                reached = distance(thief, victim);
            }
            firsts.insert(asked[0]);
        }
        std::uint32_t nearest = most_distances;
        std::uint32_t as_near = 0;
        for (std::uint32_t other = 0; other < count; ++other) {
            if (other == thief) continue;
            const std::uint32_t away = distance(thief, other);
            as_near = away < nearest ? 1 : as_near + (away == nearest ? 1 : 0);
            nearest = away < nearest ? away : nearest;
        }
        if (as_near > 1) {
            ASSERT_GT(firsts.size(), 1u) << "a thief that always begins with the same";
        }
    }
}

TEST(Nearest, TwoPackages) { every_victim_once_and_the_nearest_first(56, two_packages); }

TEST(Nearest, FourNodesOfTwoThreadsACore) {
    every_victim_once_and_the_nearest_first(128, four_nodes);
    Random random(2);
    for (std::uint32_t thief = 0; thief < 128; ++thief) {
        const Order order = make(thief, 128, four_nodes);
        // The sibling, before any other.
        EXPECT_EQ(order->walk(random, [](std::uint32_t victim) { return static_cast<int>(victim) + 1; }),
                  static_cast<int>(thief ^ 1) + 1);
    }
}

TEST(Nearest, StopsAtTheFirstThatHasSomething) {
    Random random(3);
    const Order order = make(0, 56, two_packages);
    int asked = 0;
    const auto found = order->walk(random, [&](std::uint32_t victim) {
        ++asked;
        return victim == 27 ? victim : 0;
    });
    EXPECT_EQ(found, 27u);
    EXPECT_LE(asked, 27);
}

TEST(Nearest, OneCarrierHasNobodyToAsk) {
    Random random(4);
    const Order order = make(0, 1, two_packages);
    EXPECT_FALSE(order->walk(random, [](std::uint32_t) { return true; }));
}

}  // namespace
}  // namespace gossamer::fiber
