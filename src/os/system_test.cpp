// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CPUs, clock, environment and the heavy fence: thin wrappers, held against what libc says.
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <iterator>
#include <map>
#include <string>
#include <thread>

#include "os/clock.hpp"
#include "os/cpus.hpp"
#include "os/env.hpp"
#include "os/fence.hpp"
#include "os/thread.hpp"
#include "os/thread_state.hpp"

namespace gossamer::os {
namespace {

TEST(CpuMask, AddsRemovesAndWalks) {
    CpuMask mask;
    EXPECT_EQ(mask.count(), 0u);
    EXPECT_EQ(mask.next(0), CpuMask::none);
    for (unsigned cpu : {0u, 63u, 64u, 1000u, CpuMask::capacity - 1}) mask.add(cpu);
    mask.add(CpuMask::capacity);
    EXPECT_EQ(mask.count(), 5u);
    std::string walk;
    for (unsigned cpu = mask.next(0); cpu != CpuMask::none; cpu = mask.next(cpu + 1)) walk += std::to_string(cpu) + " ";
    EXPECT_EQ(walk, "0 63 64 1000 8191 ");
    mask.remove(64);
    EXPECT_FALSE(mask.contains(64));
    EXPECT_TRUE(mask.contains(63));
    EXPECT_FALSE(mask.contains(CpuMask::capacity));
    EXPECT_EQ(mask.next(CpuMask::capacity), CpuMask::none);
    CpuMask same = mask;
    EXPECT_EQ(mask, same);
    same.clear();
    EXPECT_EQ(same.count(), 0u);
}

TEST(Cpus, StartupMaskIsTheKernelsMask) {
    cpu_set_t set;
    ASSERT_EQ(sched_getaffinity(0, sizeof set, &set), 0);
    EXPECT_EQ(cpu_count(), static_cast<unsigned>(CPU_COUNT(&set)));
    for (unsigned cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
        EXPECT_EQ(startup_cpus().contains(cpu), CPU_ISSET(cpu, &set) != 0) << cpu;
    }
}

TEST(Cpus, BindsOneThreadOnly) {
    startup_cpus();
    CpuMask bound;
    unsigned ran_on = CpuMask::none;
    unsigned wanted = startup_cpus().next(0);
    std::thread([&] {
        CpuMask one;
        one.add(wanted);
        EXPECT_EQ(bind_affinity(one), 0);
        ran_on = current_cpu();
        affinity(bound);
        EXPECT_NE(bind_affinity(CpuMask()), 0);
    }).join();
    EXPECT_EQ(ran_on, wanted);
    EXPECT_EQ(bound.count(), 1u);
    CpuMask mine;
    ASSERT_EQ(affinity(mine), 0);
    EXPECT_EQ(mine, startup_cpus());
}

TEST(Clock, MovesForwardInItsUnit) {
    std::uint64_t first = now_ns();
    double seconds = wall_seconds();
    std::uint64_t last = now_ns();
    EXPECT_LE(first, last);
    EXPECT_GE(seconds, 1e-9 * static_cast<double>(first) - 1e-6);
    EXPECT_LE(seconds, 1e-9 * static_cast<double>(last) + 1e-6);
    EXPECT_GT(tick_seconds(), 0.0);
    EXPECT_LE(tick_seconds(), 1.0);
}

TEST(Env, TellsUnsetFromEmpty) {
    unsetenv("GOSSAMER_TEST_VARIABLE");
    EXPECT_EQ(env("GOSSAMER_TEST_VARIABLE"), std::nullopt);
    setenv("GOSSAMER_TEST_VARIABLE", "", 1);
    EXPECT_EQ(env("GOSSAMER_TEST_VARIABLE"), "");
    setenv("GOSSAMER_TEST_VARIABLE", "a=b", 1);
    EXPECT_EQ(env("GOSSAMER_TEST_VARIABLE"), "a=b");
    std::map<std::string, std::string> all;
    for_each_env([&](std::string_view name, std::string_view value) { all.emplace(name, value); });
    EXPECT_EQ(all["GOSSAMER_TEST_VARIABLE"], "a=b");
    EXPECT_EQ(all["PATH"], std::getenv("PATH"));
    unsetenv("GOSSAMER_TEST_VARIABLE");
}

TEST(Env, KnowsTheProcess) { EXPECT_EQ(process_id(), getpid()); }

TEST(HeavyFence, ReturnsWhatWasPromised) {
    bool ready = asymmetric_fence_ready();
    EXPECT_EQ(asymmetric_fence_ready(), ready);
    EXPECT_EQ(heavy_fence(), ready);
}

TEST(HeavyFence, StaysReadyInAForkedChild) {
    bool ready = asymmetric_fence_ready();
    pid_t child = fork();
    if (child == 0) _exit(heavy_fence() == ready ? 0 : 1);
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 0);
}

// Store buffering: with a compiler fence on one side and the heavy fence on the other, never both read 0.
TEST(HeavyFence, OrdersTheLightSide) {
    if (!asymmetric_fence_ready()) GTEST_SKIP() << "this kernel has no membarrier";
#if defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "the sanitizer does not know membarrier";
#endif
    constexpr int rounds = 2000;
    static std::atomic<int> x;
    static std::atomic<int> y;
    static std::atomic<int> go;
    static std::atomic<int> finished;
    static int light_saw;
    go = 0;
    finished = 0;
    int both_missed = 0;
    std::thread light([] {
        for (int i = 1; i <= rounds; ++i) {
            while (go.load(std::memory_order_acquire) != i) std::this_thread::yield();
            x.store(i, std::memory_order_relaxed);
            std::atomic_signal_fence(std::memory_order_seq_cst);
            light_saw = y.load(std::memory_order_relaxed);
            finished.store(i, std::memory_order_release);
        }
    });
    for (int i = 1; i <= rounds; ++i) {
        go.store(i, std::memory_order_release);
        y.store(i, std::memory_order_relaxed);
        heavy_fence();
        int heavy_saw = x.load(std::memory_order_relaxed);
        while (finished.load(std::memory_order_acquire) != i) std::this_thread::yield();
        both_missed += heavy_saw != i && light_saw != i;
    }
    light.join();
    EXPECT_EQ(both_missed, 0);
}

// A filter that refuses the call from now on.
bool refuse(unsigned call) {
    sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    sock_fprog program = {std::size(filter), filter};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

// Fences send away a thread that runs beside the caller: 0. 77: no filter to be had.
int fence_where_membarrier_is_refused() {
    constexpr unsigned turns = 20, fences = 20'000;  // other processes may have that processor when a fence comes by
    if (!refuse(SYS_membarrier)) return 77;
    std::atomic<pid_t> beside{0};
    std::thread([&] {
        CpuMask one;
        one.add(startup_cpus().next(startup_cpus().next(0) + 1));
        bind_affinity(one);
        beside = kernel_thread_id();
        for (;;) {}
    }).detach();
    while (beside == 0) std::this_thread::yield();
    const std::uint64_t before = turns_of(beside).count;
    for (unsigned i = 0; turns_of(beside).count - before < turns; ++i) {
        if (!heavy_fence()) return 1;
        if (i == fences) return 2;
    }
    if (!refuse(SYS_sched_setaffinity)) return 77;
    return heavy_fence() ? 0 : 3;
}

TEST(HeavyFence, HoldsWhereTheSystemRefusesItLater) {
    if (!asymmetric_fence_ready()) GTEST_SKIP() << "this kernel has no membarrier";
#if defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "the sanitizer does not know membarrier";
#endif
    if (startup_cpus().count() < 2) GTEST_SKIP() << "needs two CPUs";
    if (turns_of(getpid()).count == 0) GTEST_SKIP() << "this kernel tells of no turns";
    const pid_t child = fork();
    if (child == 0) {
        alarm(60);
        _exit(fence_where_membarrier_is_refused());
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFEXITED(status)) << status;
    if (WEXITSTATUS(status) == 77) GTEST_SKIP() << "no filter to be had here";
    EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST(Cpus, MovingAwayLeavesTheMaskAsItWas) {
    CpuMask before;
    ASSERT_EQ(affinity(before), 0);
    const unsigned here = before.next(0);
    for (unsigned number = 0; number < 5; ++number) move_away_from(here, number);
    CpuMask after;
    ASSERT_EQ(affinity(after), 0);
    EXPECT_EQ(after, before);
    CpuMask only;
    only.add(here);
    ASSERT_EQ(bind_affinity(only), 0);
    move_away_from(here, 0);
    ASSERT_EQ(affinity(after), 0);
    EXPECT_EQ(after, only);
    ASSERT_EQ(bind_affinity(before), 0);
}

}  // namespace
}  // namespace gossamer::os
