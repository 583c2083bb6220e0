// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "omp/affinity/place_order.hpp"

#include <gtest/gtest.h>

#include <string>

namespace gossamer::omp {
namespace {

// Linux's usual numbers: 2 sockets of 2 cores of 2 threads; CPUs 0 … 3 are the cores' first threads, 4 … 7 their second.
// Each socket is a memory node, and its cores share a cache.
unsigned two_sockets(os::Domain domain, unsigned cpu) {
    const unsigned core = cpu % 4;
    switch (domain) {
        case os::Domain::thread: return cpu;
        case os::Domain::core: return core;
        default: return core / 2;
    }
}

// One socket with 2 memory nodes of 2 caches of 2 cores; one thread each.
unsigned nodes_and_caches(os::Domain domain, unsigned cpu) {
    switch (domain) {
        case os::Domain::thread:
        case os::Domain::core: return cpu;
        case os::Domain::last_cache: return cpu / 2;
        case os::Domain::numa_node: return cpu / 4;
        default: return 0;
    }
}

std::string ordered(std::initializer_list<std::initializer_list<unsigned>> places, const PlaceOrder& order, GroupOf group_of) {
    PlaceList list;
    for (const auto& place : places) {
        os::CpuMask cpus;
        for (const unsigned cpu : place) cpus.add(cpu);
        EXPECT_TRUE(list.add(cpus));
    }
    EXPECT_TRUE(order_places(list, order, group_of));
    EXPECT_EQ(list.size(), places.size());
    std::string text;
    for (std::uint32_t place = 0; place < list.size(); ++place)
        text += (place == 0 ? "" : " ") + std::to_string(list.cpus(place)[0]);
    list.release();
    return text;
}

std::string threads(const PlaceOrder& order) { return ordered({{0}, {1}, {2}, {3}, {4}, {5}, {6}, {7}}, order, two_sockets); }

TEST(PlaceOrder, Compact) {
    EXPECT_EQ(threads({false, 0, 0}), "0 4 1 5 2 6 3 7");
    EXPECT_EQ(threads({false, 1, 0}), "0 1 2 3 4 5 6 7");
    // Cores slower than threads, and both slower than sockets.
    EXPECT_EQ(threads({false, 2, 0}), "0 2 1 3 4 6 5 7");
    // More than there are levels: none.
    EXPECT_EQ(threads({false, 3, 0}), threads({false, 0, 0}));
}

TEST(PlaceOrder, Scatter) {
    EXPECT_EQ(threads({true, 0, 0}), "0 2 1 3 4 6 5 7");
    EXPECT_EQ(threads({true, 1, 0}), "0 1 2 3 4 5 6 7");
    EXPECT_EQ(threads({true, 2, 0}), "0 4 1 5 2 6 3 7");
}

TEST(PlaceOrder, Offset) {
    EXPECT_EQ(threads({false, 1, 3}), "3 4 5 6 7 0 1 2");
    EXPECT_EQ(threads({false, 1, 11}), "3 4 5 6 7 0 1 2");
}

TEST(PlaceOrder, WholeCores) {
    const auto cores = [](const PlaceOrder& order) { return ordered({{0, 4}, {1, 5}, {2, 6}, {3, 7}}, order, two_sockets); };
    EXPECT_EQ(cores({false, 0, 0}), "0 1 2 3");
    EXPECT_EQ(cores({false, 1, 0}), "0 1 2 3");  // there is but one thread to a core's place
    EXPECT_EQ(cores({true, 0, 0}), "0 2 1 3");
}

TEST(PlaceOrder, LevelsThatDivide) {
    const auto cpus = [](const PlaceOrder& order) {
        return ordered({{0}, {1}, {2}, {3}, {4}, {5}, {6}, {7}}, order, nodes_and_caches);
    };
    EXPECT_EQ(cpus({false, 0, 0}), "0 1 2 3 4 5 6 7");
    EXPECT_EQ(cpus({true, 0, 0}), "0 4 2 6 1 5 3 7");
    // The thread, then the core, become the slowest.
    EXPECT_EQ(cpus({false, 2, 0}), "0 2 4 6 1 3 5 7");
}

// A cache and a memory node for each core: the three are one level, and a permutation of one moves the threads only.
TEST(PlaceOrder, LevelsThatAreTheSame) {
    const GroupOf group_of = [](os::Domain domain, unsigned cpu) {
        const unsigned core = cpu % 4;
        return domain == os::Domain::thread ? cpu : domain == os::Domain::socket ? core / 2 : core;
    };
    const auto cpus = [&](const PlaceOrder& order) {
        return ordered({{0}, {1}, {2}, {3}, {4}, {5}, {6}, {7}}, order, group_of);
    };
    EXPECT_EQ(cpus({false, 0, 0}), "0 4 1 5 2 6 3 7");
    EXPECT_EQ(cpus({false, 1, 0}), "0 1 2 3 4 5 6 7");
    EXPECT_EQ(cpus({false, 2, 0}), "0 2 1 3 4 6 5 7");
}

TEST(PlaceOrder, KeepsWhatAPlaceHolds) {
    PlaceList list;
    for (const unsigned first : {2u, 0u}) {
        os::CpuMask cpus;
        cpus.add(first);
        cpus.add(first + 4);
        ASSERT_TRUE(list.add(cpus));
    }
    ASSERT_TRUE(order_places(list, {}, two_sockets));
    EXPECT_EQ(list.cpus(0)[1], 4);
    EXPECT_EQ(list.cpus(1)[1], 6);
    list.release();
}

}  // namespace
}  // namespace gossamer::omp
