// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "omp/sync/nest_lock.hpp"

#include <gtest/gtest.h>

#include <thread>

#include "omp/sync/lock.hpp"

namespace gossamer::omp {
namespace {

TEST(NestLock, BelongsToATaskAndCounts) {
    NestLock lock;
    Task mine, other;
    EXPECT_EQ(lock.lock(mine), 1u);
    EXPECT_EQ(lock.lock(mine), 2u);
    EXPECT_EQ(lock.try_lock(mine), 3u);
    EXPECT_EQ(lock.try_lock(other), 0u);
    EXPECT_FALSE(lock.unlock());
    EXPECT_FALSE(lock.unlock());
    EXPECT_EQ(lock.try_lock(other), 0u);
    EXPECT_TRUE(lock.unlock());
    EXPECT_EQ(lock.try_lock(other), 1u);
    EXPECT_TRUE(lock.unlock());
}

TEST(NestLock, FitsEightBytesOfAnyAlignment) {
    struct [[gnu::packed]] {
        char before = 'b';
        char storage[8];
        char after = 'a';
    } variable;
    Task task;
    nest_lock_init(variable.storage);
    EXPECT_EQ(nest_lock_in(variable.storage).lock(task), 1u);
    EXPECT_TRUE(nest_lock_in(variable.storage).unlock());
    nest_lock_destroy(variable.storage);
    EXPECT_EQ(variable.before, 'b');
    EXPECT_EQ(variable.after, 'a');
}

TEST(NestLock, TheRoutinesActForTheCurrentTask) {
    void* variable = nullptr;
    nest_lock_init(&variable);
    nest_lock_set(&variable);
    EXPECT_EQ(nest_lock_test(&variable), 2);
    int seen = -1;
    std::thread([&] { seen = nest_lock_test(&variable); }).join();
    EXPECT_EQ(seen, 0);
    nest_lock_unset(&variable);
    nest_lock_unset(&variable);
    std::thread([&] {
        seen = nest_lock_test(&variable);
        nest_lock_unset(&variable);
    }).join();
    EXPECT_EQ(seen, 1);
    nest_lock_destroy(&variable);
}

}  // namespace
}  // namespace gossamer::omp
