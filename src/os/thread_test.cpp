// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "os/thread.hpp"

#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string>

#include "os/cpus.hpp"
#include "os/failures.hpp"

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

TEST(Thread, DetachedOneNeedsNoJoin) {
    static Seen seen;
    pthread_t thread;
    ASSERT_EQ(start_thread(&Seen::look, &seen, 0, thread, Joining::detached), 0);
    while (!seen.ran.load())
        yield_native();
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

// The area of a sleeping thread must not answer for whoever borrows its thread pointer: after leaving, libc's
// answer follows the CPU on which it is asked. Shown on one thread that moves without the kernel updating its
// area.
TEST(Rseq, AnswerFollowsMovesAfterLeaving) {
    if (startup_cpus().count() < 2)
        GTEST_SKIP() << "needs two CPUs";
    static std::atomic<int> wrong;
    wrong = 0;
    pthread_t thread;
    auto body = [](void*) {
        if (!leave_rseq())
            ++wrong;
        const CpuMask& all = startup_cpus();
        unsigned cpu = all.next(0);
        for (int i = 0; i < 20; ++i) {
            CpuMask one;
            one.add(cpu);
            if (bind_affinity(one) != 0 || sched_getcpu() != static_cast<int>(cpu))
                ++wrong;
            cpu = all.next(cpu + 1);
            if (cpu == CpuMask::none)
                cpu = all.next(0);
        }
    };
    ASSERT_EQ(start_thread(body, nullptr, 0, thread), 0);
    join_thread(thread);
    EXPECT_EQ(wrong.load(), 0);
}

} // namespace
} // namespace gossamer::os
