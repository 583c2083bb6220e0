// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "omp/team/team.hpp"

#include <gtest/gtest.h>

#include <atomic>

#include "omp/thread/root.hpp"
#include "os/os.hpp"

namespace gossamer::omp {
namespace {

uint32_t threads_of_a_region(uint32_t requested) {
    std::atomic<uint32_t> count{0};
    parallel(current(), requested, true,
             {[](Thread&, void* data) { static_cast<std::atomic<uint32_t>*>(data)->fetch_add(1); }, &count});
    return count;
}

TEST(ThreadLimit, WhatATeamCouldNotHaveIsLeftToTheNextOne) {
    Thread& thread = current();
    const uint32_t before = thread.icvs().thread_limit;
    ASSERT_EQ(threads_of_a_region(2), 2u) << "the carriers have begun";
    thread.change_icvs().thread_limit = 1000;
    for (int region = 0; region < 3; ++region) {
        os::inject_failures(os::Failure::memory, 1, os::all_further);
        EXPECT_LT(threads_of_a_region(900), 900u);
        os::inject_failures(os::Failure::memory, 0);
        EXPECT_EQ(thread.team->root->busy, 1u);
    }
    EXPECT_EQ(threads_of_a_region(900), 900u);
    EXPECT_EQ(threads_of_a_region(2000), 1000u);
    thread.change_icvs().thread_limit = before;
}

}  // namespace
}  // namespace gossamer::omp
