// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "os/thread_state.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

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
    EXPECT_GE(cpu_time_ns(0), before);
    const std::uint64_t of_all = process_cpu_time_ns();
    EXPECT_GE(of_all, before);
    while (cpu_time_ns(me) < before + 1'000'000) {}
    EXPECT_GT(process_cpu_time_ns(), of_all);
}

TEST(ThreadState, TellsASleeperFromWhoeverRuns) {
    std::atomic<std::uint32_t> word{0};
    std::atomic<pid_t> id{0};
    std::thread sleeper([&] {
        name_thread("a) S 1 (b");
        id.store(kernel_thread_id());
        while (word.load() == 0) futex_wait(word, 0);
    });
    while (id.load() == 0) yield_native();
    while (sleep_of(id.load()) != Sleep::waits) yield_native();
    EXPECT_EQ(sleep_of(kernel_thread_id()), Sleep::none);
    word.store(1);
    futex_wake(word, 1);
    sleeper.join();
}

TEST(ThreadState, CountsTheTurnsOfWhoYields) {
    const pid_t me = kernel_thread_id();
    const Turns before = turns_of(me);
    if (before.count == 0) GTEST_SKIP() << "this kernel tells of no turns";
    // Sleeps: a yield finds no other thread on a machine of its own. Long ones: a timer that has run out is no sleep.
    for (int i = 0; i < 20; ++i) sleep_native(1'000'000);
    const Turns after = turns_of(me);
    EXPECT_GE(after.count, before.count + 20);
    EXPECT_GE(after.cpu_ns, before.cpu_ns);
    EXPECT_EQ(turns_of(0x7fffffff).count, 0u);
}

// An emulator may turn vfork into fork, and then its caller sleeps in no system call.
bool vfork_is_genuine() {
    volatile bool shared = false;
    const pid_t child = ::vfork();
    if (child == 0) {
        shared = true;
        ::_exit(0);
    }
    ::waitpid(child, nullptr, 0);
    return shared;
}

// The parent of a vfork sleeps until its child is gone, and no signal wakes it.
TEST(ThreadState, TellsWhoWaitsForTheSystem) {
    if (!vfork_is_genuine()) GTEST_SKIP() << "vfork is emulated by fork";
    std::atomic<bool> seen{false};
    const pid_t me = kernel_thread_id();
    std::thread watcher([&] {
        while (sleep_of(me) != Sleep::in_system) yield_native();
        seen.store(true);
    });
    const pid_t child = ::vfork();
    if (child == 0) {
        while (!seen.load()) {}
        ::_exit(0);
    }
    watcher.join();
    int status = 0;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(seen.load());
}

TEST(ThreadState, NoSuchThread) {
    constexpr pid_t nobody = 4'194'303;  // the kernel gives ids below 2^22
    EXPECT_EQ(cpu_time_ns(nobody), 0u);
    EXPECT_EQ(sleep_of(nobody), Sleep::unknown);
}

}  // namespace
}  // namespace gossamer::os
