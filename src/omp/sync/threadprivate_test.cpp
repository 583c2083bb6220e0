// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "omp/sync/threadprivate.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <thread>
#include <vector>

#include "fiber/fiber.hpp"
#include "omp/thread/thread.hpp"

namespace gossamer::omp {
namespace {

TEST(Threadprivate, TheInitialThreadHasTheOriginal) {
    static int variable = 5;
    static void** cache = nullptr;
    EXPECT_EQ(threadprivate(&variable, sizeof variable, &cache), &variable);
    ASSERT_NE(cache, nullptr);
    EXPECT_EQ(cache[fiber::self()->id], &variable);
    EXPECT_EQ(threadprivate(&variable, sizeof variable, nullptr), &variable);
}

TEST(Threadprivate, OthersBeginWithWhatTheOriginalHeldAtFirst) {
    static int variable = 7;
    static void** cache = nullptr;
    *static_cast<int*>(threadprivate(&variable, sizeof variable, &cache)) = 70;
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
        threads.emplace_back([t] {
            int* const mine = static_cast<int*>(threadprivate(&variable, sizeof variable, &cache));
            EXPECT_NE(mine, &variable);
            EXPECT_EQ(*mine, 7);
            *mine = t;
            std::this_thread::yield();
            EXPECT_EQ(threadprivate(&variable, sizeof variable, &cache), mine);
            EXPECT_EQ(threadprivate(&variable, sizeof variable, nullptr), mine);
            EXPECT_EQ(*mine, t);
            threadprivate_forget(fiber::self()->id);
        });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(variable, 70);
}

int made = 0, destroyed = 0;

void* make(void* at) {
    ++made;
    std::strcpy(static_cast<char*>(at), "made");
    return at;
}
void destroy(void*) { ++destroyed; }

TEST(Threadprivate, ObjectsAreMadeAndDestroyed) {
    static char variable[8] = "first";
    threadprivate_register(variable, {reinterpret_cast<void*>(make), nullptr, reinterpret_cast<void*>(destroy), 0});
    EXPECT_STREQ(static_cast<char*>(threadprivate(variable, sizeof variable, nullptr)), "first");
    std::thread([] {
        EXPECT_STREQ(static_cast<char*>(threadprivate(variable, sizeof variable, nullptr)), "made");
        threadprivate_forget(fiber::self()->id);
    }).join();
    EXPECT_EQ(made, 1);
    EXPECT_EQ(destroyed, 1);
}

TEST(Threadprivate, ArraysAreMadeWithTheirLength) {
    static int variable[3] = {1, 2, 3};
    static std::size_t told = 0;
    const auto copy = [](void* to, void* from, std::size_t elements) -> void* {
        told = elements;
        return std::memcpy(to, from, elements * sizeof(int));
    };
    void* (*const function)(void*, void*, std::size_t) = copy;
    threadprivate_register(variable, {nullptr, reinterpret_cast<void*>(function), nullptr, 3});
    std::thread([] {
        EXPECT_EQ(static_cast<int*>(threadprivate(variable, sizeof variable, nullptr))[2], 3);
        threadprivate_forget(fiber::self()->id);
    }).join();
    EXPECT_EQ(told, 3u);
}

TEST(Threadprivate, AForkedChildDoesNotWaitForAThreadThatIsGone) {
    static int variable = 0;
    current();  // sets what a fork calls
    std::atomic<bool> over{false};
    std::thread other([&over] {
        while (!over) threadprivate(&variable, sizeof variable, nullptr);
        threadprivate_forget(fiber::self()->id);
    });
    int killed = 0;
    for (int i = 0; i < 100 && killed == 0; ++i) {
        const pid_t child = fork();
        if (child == 0) {
            alarm(5);  // ends a child that waits
            threadprivate(&variable, sizeof variable, nullptr);
            _exit(0);
        }
        int status = 0;
        ASSERT_EQ(waitpid(child, &status, 0), child);
        killed += status != 0;
    }
    over = true;
    other.join();
    EXPECT_EQ(killed, 0);
}

}  // namespace
}  // namespace gossamer::omp
