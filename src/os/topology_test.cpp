// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "os/topology.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "os/cpus.hpp"

namespace gossamer::os {
namespace {

namespace fs = std::filesystem;

// Four CPUs: two cores of two threads, one cache per core at level 2 and one at level 3 for all; two nodes.
class FakeMachine : public ::testing::Test {
protected:
    void SetUp() override {
        root_ = fs::temp_directory_path() / ("topology_test." + std::to_string(::getpid()));
        for (int cpu = 0; cpu < 4; ++cpu) {
            std::string mine = cpu < 2 ? "0-1" : "2-3";
            std::string folder = "cpu/cpu" + std::to_string(cpu) + "/";
            put(folder + "topology/core_cpus_list", mine);
            put(folder + "topology/package_cpus_list", "0-3");
            put(folder + "cache/index0/level", "1");
            put(folder + "cache/index0/shared_cpu_list", mine);
            put(folder + "cache/index1/level", "3");
            put(folder + "cache/index1/shared_cpu_list", cpu == 3 ? "3" : "0-2");
            put(folder + (cpu < 2 ? "node0/here" : "node2/here"), "");
        }
        put("node/online", "0,2");
    }
    void TearDown() override { fs::remove_all(root_); }

    void put(const std::string& name, const std::string& text) {
        fs::create_directories((root_ / name).parent_path());
        std::ofstream(root_ / name) << text << '\n';
    }
    unsigned group(Domain domain, unsigned cpu) { return group_of(domain, cpu, root_.c_str()); }

    fs::path root_;
};

TEST_F(FakeMachine, TellsTheGroupsOfEachKind) {
    EXPECT_EQ(group(Domain::thread, 3), 3u);
    EXPECT_EQ(group(Domain::core, 0), group(Domain::core, 1));
    EXPECT_NE(group(Domain::core, 1), group(Domain::core, 2));
    EXPECT_EQ(group(Domain::last_cache, 0), group(Domain::last_cache, 2));
    EXPECT_NE(group(Domain::last_cache, 2), group(Domain::last_cache, 3));
    EXPECT_EQ(group(Domain::numa_node, 1), 0u);
    EXPECT_EQ(group(Domain::numa_node, 2), 2u);
    EXPECT_EQ(group(Domain::socket, 3), 0u);
}

TEST(Topology, WithoutASystemEachCpuIsACore) {
    for (unsigned cpu : {0u, 5u}) {
        EXPECT_EQ(group_of(Domain::core, cpu, "/nowhere"), cpu);
        EXPECT_EQ(group_of(Domain::last_cache, cpu, "/nowhere"), 0u);
        EXPECT_EQ(group_of(Domain::numa_node, cpu, "/nowhere"), 0u);
        EXPECT_EQ(group_of(Domain::socket, cpu, "/nowhere"), 0u);
    }
}

TEST(Topology, GroupsOfThisMachineNest) {
    const CpuMask& cpus = startup_cpus();
    for (unsigned a = cpus.next(0); a != CpuMask::none; a = cpus.next(a + 1)) {
        for (unsigned b = cpus.next(0); b != CpuMask::none; b = cpus.next(b + 1)) {
            if (group_of(Domain::core, a) != group_of(Domain::core, b)) continue;
            EXPECT_EQ(group_of(Domain::socket, a), group_of(Domain::socket, b));
            EXPECT_EQ(group_of(Domain::last_cache, a), group_of(Domain::last_cache, b));
        }
    }
}

TEST(Topology, HostNameIsCutAndEnds) {
    char name[3] = {'x', 'x', 'x'};
    host_name(name, sizeof name);
    EXPECT_EQ(name[2], '\0');
    EXPECT_NE(name[0], '\0');
}

}  // namespace
}  // namespace gossamer::os
