// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "omp/affinity/hw_subset.hpp"

#include <gtest/gtest.h>

#include <string>

#include "omp/affinity/places.hpp"

namespace gossamer::omp {
namespace {

// 2 sockets of 2 memory nodes of 2 caches of 2 cores of 2 threads: CPUs 0 … 15 are the cores' first threads, 16 … 31 their
// second.
unsigned large(os::Domain domain, unsigned cpu) {
    const unsigned core = cpu % 16;
    switch (domain) {
        case os::Domain::thread: return cpu;
        case os::Domain::core: return core;
        case os::Domain::last_cache: return core / 2;
        case os::Domain::numa_node: return core / 4;
        default: return core / 8;
    }
}

std::string selected(const char* text, unsigned first = 0, unsigned end = 32) {
    os::CpuMask allowed;
    for (unsigned cpu = first; cpu < end; ++cpu) allowed.add(cpu);
    TextBuffer<512> shown;
    show_cpus(shown, hw_subset(text, allowed, large));
    return std::string(shown.text());
}

TEST(HwSubset, CountsWithinTheNextLargerLayer) {
    EXPECT_EQ(selected("1t"), "0-15");
    EXPECT_EQ(selected("1T@1"), "16-31");
    EXPECT_EQ(selected("1s"), "0-7,16-23");
    EXPECT_EQ(selected("1s@1,1t"), "8-15");
    EXPECT_EQ(selected("2s,3c,1t"), "0-2,8-10");
    EXPECT_EQ(selected("1s,2n,1c,2t"), "0,4,16,20");
    EXPECT_EQ(selected("2n,1c,1t"), "0,4,8,12");
    EXPECT_EQ(selected("4c@2"), "2-5,10-13,18-21,26-29");
    EXPECT_EQ(selected("1ll@3,*c,1t"), "6-7,14-15");
    EXPECT_EQ(selected("*s,*c"), "0-31");
    EXPECT_EQ(selected("c@7"), "7,15,23,31");
}

TEST(HwSubset, BehindAColonOnlyNamedLayersCount) {
    EXPECT_EQ(selected(":1t"), "0");
    EXPECT_EQ(selected(":3t"), "0-1,16");  // both threads of the first core, one of the second
    EXPECT_EQ(selected(":2t@1"), "1,16");
    EXPECT_EQ(selected(":17t@1"), "1-8,16-24");
    EXPECT_EQ(selected(":32t"), "0-31");
    EXPECT_EQ(selected(":33t"), "");
    EXPECT_EQ(selected(":1s,1t@1"), "16");
    EXPECT_EQ(selected(":2s,3t"), "0-1,8-9,16,24");
    EXPECT_EQ(selected(":1s,17t"), "");
    EXPECT_EQ(selected(":9c"), "0-8,16-24");
    EXPECT_EQ(selected(":9c,1t"), "0-8");
    EXPECT_EQ(selected(":3n@1,1c"), "4,8,12,20,24,28");
    EXPECT_EQ(selected(":2t", 4, 8), "4-5");
}

TEST(HwSubset, NamesOrderAndBlanksDoNotMatter) {
    EXPECT_EQ(selected("1t,3c,2s"), "0-2,8-10");
    EXPECT_EQ(selected(" :2 Sockets , 3 cores@0, 1 thread "), "0-2,8-10");
    EXPECT_EQ(selected("1S,2numa_domains,1Core,2THREADS"), "0,4,16,20");
    EXPECT_EQ(selected("1l3"), selected("1ll_cache"));
}

TEST(HwSubset, OnlyWhatTheProcessMayUseCounts) {
    EXPECT_EQ(selected("1s,2c", 6, 12), "6-7");
    EXPECT_EQ(selected("2s,3c", 6, 12), "6-10");  // the first socket has two left
    EXPECT_EQ(selected("2t", 0, 16), "");         // no core has two left
}

TEST(HwSubset, MoreThanThereIsSelectsNothing) {
    for (const char* text : {"3s", "2s@1", "9c", "3t", "1t@2", "1s,9c", "1s,4c@5", "s@2"})
        EXPECT_EQ(selected(text), "") << text;
}

TEST(HwSubset, WrongTexts) {
    for (const char* text : {"", ",", "1", "1x", "1s,", "1s,1s", "0c", "-1c", "1c@", "1c@-1", "1c@x", "1 c 2", "**c", "1c:eff1",
                             "99999999999c", "1d", "2l2", "s c"}) {
        EXPECT_FALSE(valid_hw_subset(text)) << text;
        EXPECT_EQ(selected(text), "") << text;
    }
    for (const char* text : {"1s", "c", "*c", "*", ":1s", "1s,2c,1t", "1C@3"}) {
        EXPECT_EQ(valid_hw_subset(text), std::string(text) != "*") << text;
    }
}

}  // namespace
}  // namespace gossamer::omp
