// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "os/thread_state.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "os/futex.hpp"
#include "os/thread.hpp"

namespace gossamer::os {
namespace {

TEST(ThreadState, CpuTimeGrowsWhileAThreadComputes) {
    const pid_t me = kernel_thread_id();
    const std::uint64_t before = cpu_time_ns(me);
    EXPECT_GT(before, 0u);
    while (cpu_time_ns(me) < before + 1'000'000) {
    }
}

TEST(ThreadState, TellsASleeperFromWhoeverRuns) {
    std::atomic<std::uint32_t> word{0};
    std::atomic<pid_t> id{0};
    std::thread sleeper([&] {
        name_thread("a) S 1 (b");
        id.store(kernel_thread_id());
        while (word.load() == 0)
            futex_wait(word, 0);
    });
    while (id.load() == 0)
        yield_native();
    while (!sleeps_in_kernel(id.load()))
        yield_native();
    EXPECT_FALSE(sleeps_in_kernel(kernel_thread_id()));
    word.store(1);
    futex_wake(word, 1);
    sleeper.join();
}

TEST(ThreadState, NoSuchThread) {
    constexpr pid_t nobody = 4'194'303; // the kernel gives ids below 2^22
    EXPECT_EQ(cpu_time_ns(nobody), 0u);
    EXPECT_FALSE(sleeps_in_kernel(nobody));
}

} // namespace
} // namespace gossamer::os
