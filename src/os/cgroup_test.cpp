// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "os/cgroup.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace gossamer::os {
namespace {

// A control-group file system drawn in a scratch folder.
class Cgroup : public testing::Test {
protected:
    void SetUp() override {
        std::string pattern = testing::TempDir() + "gossamer-cgroup-XXXXXX";
        ASSERT_NE(mkdtemp(pattern.data()), nullptr);
        root_ = pattern;
        std::filesystem::create_directories(root_ / "sys");
    }
    void TearDown() override { std::filesystem::remove_all(root_); }

    void membership(const std::string& text) { put("self", text); }
    void put(const std::string& path, const std::string& text) {
        std::filesystem::create_directories((root_ / path).parent_path());
        std::ofstream(root_ / path) << text;
    }
    std::optional<double> quota() { return cpu_quota((root_ / "self").c_str(), (root_ / "sys").c_str()); }

    std::filesystem::path root_;
};

TEST_F(Cgroup, NoneWithoutControlGroups) {
    EXPECT_EQ(quota(), std::nullopt);
    membership("");
    EXPECT_EQ(quota(), std::nullopt);
    membership("0::/\n");
    EXPECT_EQ(quota(), std::nullopt);
}

TEST_F(Cgroup, Version2ReadsItsOwnGroup) {
    membership("0::/app\n");
    put("sys/app/cpu.max", "150000 100000\n");
    EXPECT_EQ(quota(), 1.5);
    put("sys/app/cpu.max", "max 100000\n");
    EXPECT_EQ(quota(), std::nullopt);
}

TEST_F(Cgroup, Version2TakesTheTightestAncestor) {
    membership("0::/a/b/c\n");
    put("sys/a/cpu.max", "200000 100000\n");
    put("sys/a/b/cpu.max", "max 100000\n");
    put("sys/a/b/c/cpu.max", "800000 100000\n");
    EXPECT_EQ(quota(), 2.0);
    put("sys/a/b/c/cpu.max", "50000 200000\n");
    EXPECT_EQ(quota(), 0.25);
    put("sys/cpu.max", "1000 100000\n");
    EXPECT_EQ(quota(), 0.01);
}

TEST_F(Cgroup, PathThatTheMountHidesFallsBackToItsRoot) {
    put("sys/cpu.max", "300000 100000\n");
    for (const char* line : {"0::/docker/0123\n", "0::/../../elsewhere\n", "0::/..\n", "0::/\n"}) {
        membership(line);
        EXPECT_EQ(quota(), 3.0) << line;
    }
}

TEST_F(Cgroup, Version1ReadsTwoFiles) {
    membership("5:memory:/m\n4:cpu,cpuacct:/job/step\n1:name=systemd:/x\n");
    put("sys/cpu,cpuacct/job/step/cpu.cfs_quota_us", "-1\n");
    put("sys/cpu,cpuacct/job/step/cpu.cfs_period_us", "100000\n");
    EXPECT_EQ(quota(), std::nullopt);
    put("sys/cpu,cpuacct/job/cpu.cfs_quota_us", "250000\n");
    put("sys/cpu,cpuacct/job/cpu.cfs_period_us", "100000\n");
    EXPECT_EQ(quota(), 2.5);
}

TEST_F(Cgroup, Version1MayBeMountedAsCpuAlone) {
    membership("4:cpuacct,cpu:/job\n");
    put("sys/cpu/job/cpu.cfs_quota_us", "100000\n");
    put("sys/cpu/job/cpu.cfs_period_us", "50000\n");
    EXPECT_EQ(quota(), 2.0);
}

TEST_F(Cgroup, OtherControllersDoNotCount) {
    membership("4:cpuset:/job\n3:cpuacct:/job\n");
    put("sys/cpuset/job/cpu.cfs_quota_us", "100000\n");
    put("sys/cpuset/job/cpu.cfs_period_us", "100000\n");
    put("sys/cpu/job/cpu.cfs_quota_us", "100000\n");
    put("sys/cpu/job/cpu.cfs_period_us", "100000\n");
    EXPECT_EQ(quota(), std::nullopt);
}

TEST_F(Cgroup, HybridTakesTheTighterVersion) {
    membership("2:cpu:/job\n0::/job\n");
    put("sys/cpu/job/cpu.cfs_quota_us", "400000\n");
    put("sys/cpu/job/cpu.cfs_period_us", "100000\n");
    EXPECT_EQ(quota(), 4.0);
    put("sys/unified/job/cpu.max", "300000 100000\n");
    EXPECT_EQ(quota(), 3.0);
}

TEST_F(Cgroup, NonsenseIsNoLimit) {
    membership("0::/app\n");
    for (const char* text :
         {"", "\n", "abc 100000\n", "100000\n", "100000 0\n", "0 100000\n", "-5 100000\n", "99999999999999999999 100000\n"}) {
        put("sys/app/cpu.max", text);
        EXPECT_EQ(quota(), std::nullopt) << text;
    }
    membership("no colons here\n::\n0::\n");
    EXPECT_EQ(quota(), std::nullopt);
    membership("0::/" + std::string(6000, 'x') + "\n");
    EXPECT_EQ(quota(), std::nullopt);
}

TEST_F(Cgroup, PathMayHoldColonsAndNoNewline) {
    membership("0::/a:b");
    put("sys/a:b/cpu.max", "100000 100000");
    EXPECT_EQ(quota(), 1.0);
}

TEST(CgroupOfThisMachine, GivesAPositiveQuotaOrNone) { EXPECT_GT(cpu_quota().value_or(1.0), 0.0); }

}  // namespace
}  // namespace gossamer::os
