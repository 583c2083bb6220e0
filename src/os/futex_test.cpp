// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "os/futex.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <csignal>
#include <thread>
#include <vector>

#include "os/clock.hpp"
#include "os/thread.hpp"

namespace gossamer::os {
namespace {

TEST(Futex, ReturnsAtOnceWhenTheWordDiffers) {
    std::atomic<std::uint32_t> word{1};
    errno = 42;
    EXPECT_EQ(futex_wait(word, 0), EAGAIN);
    EXPECT_EQ(errno, 42);
}

TEST(Futex, TimesOut) {
    std::atomic<std::uint32_t> word{0};
    std::uint64_t before = now_ns();
    EXPECT_EQ(futex_wait(word, 0, 2'000'000), ETIMEDOUT);
    EXPECT_GE(now_ns() - before, 2'000'000u);
    EXPECT_EQ(futex_wait(word, 0, 0), ETIMEDOUT);
}

TEST(Futex, WakesAsManyAsAsked) {
    std::atomic<std::uint32_t> word{0};
    std::atomic<int> woken{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
        threads.emplace_back([&] {
            while (word.load() == 0) futex_wait(word, 0);
            ++woken;
        });
    }
    EXPECT_EQ(futex_wake(word, 0) > 1, false);
    word.store(1);
    // A thread that was not asleep yet sees the word; the others are woken.
    while (woken.load() < 4) futex_wake(word, INT32_MAX);
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(futex_wake(word, 1), 0);
}

TEST(Futex, ReportsASignal) {
    struct sigaction action{};
    action.sa_handler = [](int) {};
    struct sigaction before;
    sigaction(SIGUSR1, &action, &before);
    std::atomic<std::uint32_t> word{0};
    std::atomic<int> code{-1};
    std::thread sleeper([&] { code = futex_wait(word, 0); });
    while (code.load() == -1) {
        pthread_kill(sleeper.native_handle(), SIGUSR1);
        sleep_native(1'000'000);
    }
    sleeper.join();
    EXPECT_EQ(code.load(), EINTR);
    sigaction(SIGUSR1, &before, nullptr);
}

}  // namespace
}  // namespace gossamer::os
