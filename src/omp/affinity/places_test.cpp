// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "omp/affinity/places.hpp"

#include <gtest/gtest.h>

#include <string>

namespace gossamer::omp {
namespace {

os::CpuMask first(unsigned count) {
    os::CpuMask mask;
    for (unsigned cpu = 0; cpu < count; ++cpu) mask.add(cpu);
    return mask;
}

// The list as a text, read on a machine of 16 CPUs.
std::string list_of(const char* text, bool cpus = false) {
    PlaceList list;
    PlacesRead read = cpus ? read_cpu_places(text, first(16), list) : read_places(text, first(16), list);
    if (!read.valid) return "invalid";
    TextBuffer<4096> shown;
    list.show(shown);
    std::string result(shown.text());
    if (read.cpus_left_out > 0) result += " without " + std::to_string(read.cpus_left_out);
    list.release();
    return result;
}

TEST(Places, ListsFollowTheSpecification) {
    EXPECT_EQ(list_of("{0},{1},{2}"), "3: {0},{1},{2}");
    EXPECT_EQ(list_of("{0,1,2,3},{4,5,6,7},{8,9,10,11},{12,13,14,15}"), "4: {0-3},{4-7},{8-11},{12-15}");
    EXPECT_EQ(list_of("{0:4},{4:4},{8:4},{12:4}"), "4: {0-3},{4-7},{8-11},{12-15}");
    EXPECT_EQ(list_of("{0:4}:4:4"), "4: {0-3},{4-7},{8-11},{12-15}");
    EXPECT_EQ(list_of("{0:3:2}"), "1: {0,2,4}");
    EXPECT_EQ(list_of("{0}:4"), "4: {0},{1},{2},{3}");
    EXPECT_EQ(list_of("{6}:3:-2"), "3: {6},{4},{2}");
    EXPECT_EQ(list_of("{6:3:-2}"), "1: {2,4,6}");
    EXPECT_EQ(list_of(" { 0 : 2 } : 2 : 2 , { 8 } "), "3: {0-1},{2-3},{8}");
    EXPECT_EQ(list_of("{0:4,!1}"), "1: {0,2-3}");
    EXPECT_EQ(list_of("{0}:4,!{2}"), "3: {0},{1},{3}");
    EXPECT_EQ(list_of("{7,6}:2:-3"), "2: {6-7},{3-4}");
    EXPECT_EQ(list_of("{6,7}:4:-2,!{2,3}"), "3: {6-7},{4-5},{0-1}");
    EXPECT_EQ(list_of("{6,5,!6},{7:2:-1,!6}"), "2: {5},{7}");
    EXPECT_EQ(list_of("0,1,2"), "3: {0},{1},{2}");
    EXPECT_EQ(list_of("0:2:4"), "2: {0},{4}");
}

TEST(Places, WhatIsNotThereIsLeftOut) {
    EXPECT_EQ(list_of("{0},{99}"), "1: {0} without 1");
    EXPECT_EQ(list_of("{14:4}"), "1: {14-15} without 2");
    EXPECT_EQ(list_of("{2}:4:-1"), "3: {2},{1},{0} without 1");
    EXPECT_EQ(list_of("{100000}"), "0:  without 1");
}

TEST(Places, WrongTexts) {
    for (const char* text : {"",
                             "{",
                             "{}",
                             "{0",
                             "{0}}",
                             "{0},",
                             ",{0}",
                             "{0}:0",
                             "{0}:-1",
                             "{0:0}",
                             "{0:2:}",
                             "{0:}",
                             "{-1}",
                             "{a}",
                             "{0};{1}",
                             "cores(",
                             "cores()",
                             "cores(x)",
                             "cores(-1)",
                             "cores 4",
                             "!",
                             "{0}:2:1:1",
                             "{99999999999999}",
                             "threads,cores"}) {
        EXPECT_EQ(list_of(text), "invalid") << text;
        EXPECT_FALSE(valid_places(text)) << text;
    }
}

TEST(Places, AbstractNames) {
    EXPECT_EQ(list_of("threads(3)"), "3: {0},{1},{2}");
    EXPECT_EQ(list_of("Threads ( 3 : 2 ) "), "3: {0},{2},{4}");
    for (const char* text : {"threads", "cores", "ll_caches", "numa_domains", "sockets", "CORES(2)"}) {
        EXPECT_TRUE(valid_places(text)) << text;
        EXPECT_NE(list_of(text), "invalid") << text;
    }
}

TEST(Places, GroupsPartitionTheCpus) {
    for (const char* text : {"threads", "cores", "ll_caches", "numa_domains", "sockets"}) {
        PlaceList list;
        const os::CpuMask& cpus = os::startup_cpus();
        ASSERT_TRUE(read_places(text, cpus, list).valid);
        os::CpuMask seen;
        unsigned sum = 0;
        for (std::uint32_t place = 0; place < list.size(); ++place) {
            EXPECT_FALSE(list.cpus(place).empty());
            for (std::uint16_t cpu : list.cpus(place)) {
                EXPECT_TRUE(cpus.contains(cpu));
                seen.add(cpu);
                ++sum;
            }
        }
        EXPECT_EQ(seen, cpus) << text;
        EXPECT_EQ(sum, cpus.count()) << text;
        list.release();
    }
}

TEST(Places, GompCpuAffinity) {
    EXPECT_EQ(list_of("0 3 1-2 4-15:2", true), "10: {0},{3},{1},{2},{4},{6},{8},{10},{12},{14}");
    EXPECT_EQ(list_of("0,1,2", true), "3: {0},{1},{2}");
    EXPECT_EQ(list_of("3,3", true), "2: {3},{3}");
    for (const char* text : {"", " ", "a", "1-", "3-1", "0-4:0", "0 -1", "0,", "{0}"}) {
        EXPECT_EQ(list_of(text, true), "invalid") << text;
    }
}

TEST(Places, CpuSetsAreShownAsRanges) {
    os::CpuMask mask;
    for (unsigned cpu : {0u, 1u, 2u, 6u, 63u, 64u, 8191u}) mask.add(cpu);
    TextBuffer<64> text;
    show_cpus(text, mask);
    EXPECT_EQ(text.text(), "0-2,6,63-64,8191");
    TextBuffer<64> empty;
    show_cpus(empty, {});
    EXPECT_EQ(empty.text(), "");
}

}  // namespace
}  // namespace gossamer::omp
