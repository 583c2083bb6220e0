// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "os/thread.hpp"

#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string>

#include "arch/arch.hpp"
#include "os/cpus.hpp"
#include "os/failures.hpp"
#include "os/futex.hpp"

#if __has_include(<sys/rseq.h>)
#include <sys/rseq.h>
#endif

namespace gossamer::os {
namespace {

struct Seen {
    std::atomic<bool> ran{false};
    Stack stack;
    pid_t id = 0;
    sigset_t mask;
    char name[16] = {};
    int local = 0;

    static void look(void* argument) {
        Seen& seen = *static_cast<Seen*>(argument);
        seen.local = 7;
        own_stack(seen.stack);
        seen.id = kernel_thread_id();
        pthread_sigmask(SIG_SETMASK, nullptr, &seen.mask);
        name_thread("a rather long thread name");
        pthread_getname_np(pthread_self(), seen.name, sizeof seen.name);
        seen.ran.store(true);
    }
};

TEST(Thread, RunsWithItsOwnIdAndStack) {
    Seen seen;
    pthread_t thread;
    ASSERT_EQ(start_thread(&Seen::look, &seen, 512 * 1024, thread), 0);
    EXPECT_EQ(join_thread(thread), 0);
    EXPECT_TRUE(seen.ran.load());
    EXPECT_GE(seen.stack.size, 512u * 1024);
    EXPECT_NE(seen.id, kernel_thread_id());
    EXPECT_STREQ(seen.name, "a rather long t");
}

TEST(Thread, KnowsTheInitialStackAsLibcDoes) {
    ASSERT_TRUE(is_initial_thread());
    for (const rlim_t size : {rlim_t{8} << 20, rlim_t{3} << 20, rlim_t{1} << 30}) {
        rlimit limit;
        ASSERT_EQ(getrlimit(RLIMIT_STACK, &limit), 0);
        limit.rlim_cur = std::min(size, limit.rlim_max);
        ASSERT_EQ(setrlimit(RLIMIT_STACK, &limit), 0);
        Stack ours, libcs;
        ASSERT_EQ(own_stack(ours), 0);
        ASSERT_EQ(stack_of(pthread_self(), libcs), 0);
        EXPECT_EQ(ours.low, libcs.low) << size;
        EXPECT_GE(ours.size, libcs.size) << size << ": libc leaves out the pages above main's, of arguments and environment";
    }
}

TEST(Thread, InheritsTheSignalMask) {
    sigset_t two;
    sigset_t before;
    sigemptyset(&two);
    sigaddset(&two, SIGUSR2);
    pthread_sigmask(SIG_SETMASK, &two, &before);
    Seen seen;
    pthread_t thread;
    ASSERT_EQ(start_thread(&Seen::look, &seen, 0, thread), 0);
    join_thread(thread);
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    EXPECT_EQ(sigismember(&seen.mask, SIGUSR2), 1);
    EXPECT_EQ(sigismember(&seen.mask, SIGUSR1), 0);
}

TEST(Thread, RunsOnTheGivenStackWithSignalsBlocked) {
    Stack stack;
    ASSERT_EQ(map_stack(1 << 20, stack), 0);
    sigset_t before;
    pthread_sigmask(SIG_SETMASK, nullptr, &before);
    Seen seen;
    pthread_t thread;
    ASSERT_EQ(start_thread_on(stack, &Seen::look, &seen, thread), 0);
    join_thread(thread);
    EXPECT_EQ(seen.stack.low, stack.low);
    EXPECT_EQ(seen.stack.size, stack.size);
    for (int signal : {SIGINT, SIGTERM, SIGUSR1, SIGALRM, SIGCHLD, SIGRTMIN}) {
        EXPECT_EQ(sigismember(&seen.mask, signal), 1) << signal;
    }
    sigset_t after;
    pthread_sigmask(SIG_SETMASK, nullptr, &after);
    for (int signal = 1; signal < SIGRTMAX; ++signal) {
        EXPECT_EQ(sigismember(&before, signal), sigismember(&after, signal)) << signal;
    }
    unmap_stack(stack);
}

TEST(Thread, RefusesATooSmallStack) {
    Stack stack;
    ASSERT_EQ(map_stack(1, stack), 0);
    Seen seen;
    pthread_t thread;
    EXPECT_EQ(start_thread_on(stack, &Seen::look, &seen, thread), EINVAL);
    EXPECT_EQ(start_thread(&Seen::look, &seen, 1, thread), EINVAL);
    unmap_stack(stack);
}

TEST(Thread, FailuresStrikeWhereTheyAreInjected) {
    Seen seen;
    pthread_t thread;
    inject_failures(Failure::thread, 2, 2);
    ASSERT_EQ(start_thread(&Seen::look, &seen, 0, thread), 0);
    join_thread(thread);
    EXPECT_EQ(start_thread(&Seen::look, &seen, 0, thread), EAGAIN);
    EXPECT_EQ(start_thread_on(Stack{}, &Seen::look, &seen, thread), EAGAIN);
    ASSERT_EQ(start_thread(&Seen::look, &seen, 0, thread), 0);
    join_thread(thread);
    inject_failures(Failure::thread, 0);
}

TEST(Rseq, LeavingMakesLibcAskTheKernel) {
    static bool left;
    static bool left_again;
    static int cpu_by_libc;
    static unsigned cpu;
    pthread_t thread;
    auto body = [](void*) {
        CpuMask all;
        affinity(all);
        CpuMask one;
        one.add(all.next(0));
        bind_affinity(one);
        left = leave_rseq();
        left_again = leave_rseq();
        cpu_by_libc = sched_getcpu();
        cpu = current_cpu();
    };
    ASSERT_EQ(start_thread(body, nullptr, 0, thread), 0);
    join_thread(thread);
    EXPECT_TRUE(left);
    EXPECT_TRUE(left_again);
    EXPECT_EQ(static_cast<unsigned>(cpu_by_libc), cpu);
}

// A thread asleep on one CPU lends its thread pointer to code on another: libc's answer must be the
// borrower's CPU.
TEST(Rseq, BorrowerOfTheThreadPointerLearnsItsOwnCpu) {
    if (startup_cpus().count() < 2) {
        GTEST_SKIP() << "needs two CPUs";
    }
    if (!arch::can_set_thread_pointer()) {
        GTEST_SKIP() << "this CPU or kernel has no instruction for it";
    }
#if defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "the sanitizer's own state hangs on the thread pointer";
#endif
    struct Lender {
        std::atomic<void*> pointer{nullptr};
        std::atomic<std::uint32_t> done{0};
        bool left = false;
    } lender;
    pthread_t thread;
    auto sleep_on_first_cpu = [](void* argument) {
        Lender& self = *static_cast<Lender*>(argument);
        CpuMask first;
        first.add(startup_cpus().next(0));
        bind_affinity(first);
        self.left = leave_rseq();
        self.pointer.store(arch::thread_pointer());
        while (self.done.load() == 0) {
            futex_wait(self.done, 0);
        }
    };
    ASSERT_EQ(start_thread(sleep_on_first_cpu, &lender, 0, thread), 0);
    while (lender.pointer.load() == nullptr) {
        yield_native();
    }
    sleep_native(10'000'000);

    unsigned second = startup_cpus().next(startup_cpus().next(0) + 1);
    CpuMask before;
    ASSERT_EQ(affinity(before), 0);
    CpuMask only_second;
    only_second.add(second);
    ASSERT_EQ(bind_affinity(only_second), 0);
    void* own = arch::thread_pointer();
    arch::set_thread_pointer(lender.pointer.load());
    int cpu = sched_getcpu();
    arch::set_thread_pointer(own);
    bind_affinity(before);

    lender.done.store(1);
    futex_wake(lender.done, 1);
    join_thread(thread);
    EXPECT_TRUE(lender.left);
    EXPECT_EQ(cpu, static_cast<int>(second));
}

#if __has_include(<sys/rseq.h>)
int cpu_in_area(void* thread_pointer) {
    return static_cast<int>(reinterpret_cast<const struct rseq*>(static_cast<char*>(thread_pointer) + __rseq_offset)->cpu_id);
}

// The child of a fork has the registration of the native thread that forked, whatever its thread pointer was.
TEST(Rseq, AForkedChildsThreadTakesOverItsOwn) {
    if (__rseq_size == 0) GTEST_SKIP() << "libc registers none";
    if (!arch::can_set_thread_pointer()) GTEST_SKIP() << "this CPU or kernel has no instruction for it";
#if defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "the sanitizer's own state hangs on the thread pointer";
#endif
    struct Lender {
        std::atomic<void*> pointer{nullptr};
        std::atomic<std::uint32_t> done{0};
    } lender;
    pthread_t thread;
    auto lend = [](void* argument) {
        Lender& self = *static_cast<Lender*>(argument);
        leave_rseq();
        self.pointer.store(arch::thread_pointer());
        while (self.done.load() == 0) futex_wait(self.done, 0);
    };
    ASSERT_EQ(start_thread(lend, &lender, 0, thread), 0);
    while (lender.pointer.load() == nullptr) yield_native();

    void* const own = arch::thread_pointer();
    arch::set_thread_pointer(lender.pointer.load());
    const pid_t child = ::fork();
    if (child == 0) {
        move_rseq(own);
        ::_exit(cpu_in_area(lender.pointer.load()) >= 0 && cpu_in_area(own) < 0 ? 7 : 1);
    }
    arch::set_thread_pointer(own);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 7) << status;
    lender.done.store(1);
    futex_wake(lender.done, 1);
    join_thread(thread);
}
#endif

}  // namespace
}  // namespace gossamer::os
