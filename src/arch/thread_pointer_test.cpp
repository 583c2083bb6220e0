// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>
#include <pthread.h>

#include <atomic>
#include <cerrno>
#include <thread>

#include "arch/fiber_for_test.hpp"

#if defined(__SANITIZE_THREAD__)
constexpr bool sanitizer_follows_thread_pointer = false;
#else
constexpr bool sanitizer_follows_thread_pointer = true;
#endif

namespace gossamer::arch {
namespace {

thread_local int own_number = 1;
extern thread_local void* own_word GOSSAMER_SYMBOL("gossamer_test_own_word");
thread_local void* own_word = nullptr;
[[gnu::noinline]] void write_own_word(void* value) { own_word = value; }
[[gnu::noinline]] void* address_of_own_word() { return &own_word; }
[[gnu::noinline]] int read_own_number() { return own_number; }
[[gnu::noinline]] void write_own_number(int value) { own_number = value; }
[[gnu::noinline]] int* own_errno() { return &errno; }

// A pthread that sleeps while others use its thread pointer.
class Lender {
public:
    Lender() : thread_([this] { run(); }) {
        while (!ready_.load()) std::this_thread::yield();
    }
    ~Lender() {
        done_.store(true);
        thread_.join();
    }
    void* pointer() const { return pointer_; }
    pthread_t self() const { return self_; }
    int* errno_address() const { return errno_address_; }
    int final_number() const { return final_number_; }
    void finish() { done_.store(true), finished_wait(); }

private:
    void run() {
        write_own_number(2);
        pointer_ = thread_pointer();
        self_ = pthread_self();
        errno_address_ = own_errno();
        ready_.store(true);
        while (!done_.load()) std::this_thread::yield();
        final_number_ = read_own_number();
        finished_.store(true);
    }
    void finished_wait() {
        while (!finished_.load()) std::this_thread::yield();
    }

    void* pointer_ = nullptr;
    pthread_t self_{};
    int* errno_address_ = nullptr;
    int final_number_ = 0;
    std::atomic<bool> ready_{false};
    std::atomic<bool> done_{false};
    std::atomic<bool> finished_{false};
    std::thread thread_;
};

TEST(ThreadPointer, DiffersByThread) {
    Lender lender;
    EXPECT_NE(lender.pointer(), thread_pointer());
    EXPECT_EQ(thread_pointer(), thread_pointer());
}

TEST(ThreadPointer, IsSetAndRestored) {
    if (!sanitizer_follows_thread_pointer) GTEST_SKIP() << "the sanitizer's own state hangs on the thread pointer";
    if (!can_set_thread_pointer()) GTEST_SKIP() << "this CPU or kernel has no instruction for it";
    Lender lender;
    void* own = thread_pointer();
    set_thread_pointer(lender.pointer());
    int seen = read_own_number();
    write_own_number(seen + 40);
    set_thread_pointer(own);
    EXPECT_EQ(seen, 2);
    EXPECT_EQ(read_own_number(), 1);
    lender.finish();
    EXPECT_EQ(lender.final_number(), 42);
}

using Switch = void* (*)(void**, void*, void*, void*);

class ThreadSwitch : public testing::TestWithParam<bool> {
protected:
    void SetUp() override {
        if (!sanitizer_follows_thread_pointer) GTEST_SKIP() << "the sanitizer's own state hangs on the thread pointer";
        if (GetParam() && !can_set_thread_pointer()) GTEST_SKIP() << "this CPU or kernel has no instruction for it";
    }
    static Switch the_switch() { return GetParam() ? &switch_stack_and_thread : &switch_stack_and_thread_by_kernel; }
};

TEST_P(ThreadSwitch, FiberSeesTheLendersThread) {
    Lender lender;
    void* own = thread_pointer();
    pthread_t self = pthread_self();
    Switch go = the_switch();
    struct Seen {
        int number = 0;
        pthread_t self{};
        int* errno_address = nullptr;
        void* pointer = nullptr;
    } seen;
    auto to = [go](void* pointer) {
        return [go, pointer](void** save, void* load, void* payload) { return go(save, load, payload, pointer); };
    };
    TestFiber fiber([&](TestFiber& me, void* payload) {
        for (;;) {
            seen.number = read_own_number();
            write_own_number(seen.number + 1);
            seen.self = pthread_self();
            seen.errno_address = own_errno();
            seen.pointer = thread_pointer();
            payload = me.leave_by(to(own), payload);
        }
    });
    for (int i = 0; i < 100; ++i) {
        void* payload = fiber.enter_by(to(lender.pointer()), &fiber);
        ASSERT_EQ(payload, &fiber);
        ASSERT_EQ(seen.number, 2 + i);
        ASSERT_EQ(read_own_number(), 1);
        ASSERT_TRUE(pthread_equal(seen.self, lender.self()));
        ASSERT_TRUE(pthread_equal(pthread_self(), self));
        ASSERT_EQ(seen.errno_address, lender.errno_address());
        ASSERT_NE(own_errno(), seen.errno_address);
        ASSERT_EQ(seen.pointer, lender.pointer());
        ASSERT_EQ(thread_pointer(), own);
    }
    lender.finish();
    EXPECT_EQ(lender.final_number(), 102);
}

INSTANTIATE_TEST_SUITE_P(EachWay, ThreadSwitch, testing::Bool(),
                         [](const auto& way) { return way.param ? "ByInstruction" : "ByKernel"; });

TEST(Cycles, MoveForward) {
    std::uint64_t before = cycles();
    for (int i = 0; i < 1000; ++i) pause();
    EXPECT_GT(cycles(), before);
}

TEST(ThreadPointer, TheDistanceOfAProgramsOwnIsKnown) {
    const auto distance = static_cast<char*>(address_of_own_word()) - static_cast<char*>(thread_pointer());
    const std::intptr_t told = GOSSAMER_STATIC_DISTANCE("gossamer_test_own_word");
    EXPECT_EQ(told, distance < 0 ? distance : 0);
}

TEST(ThreadPointer, AWordAtTheSameDistanceIsEachThreadsOwn) {
    const auto distance = static_cast<char*>(address_of_own_word()) - static_cast<char*>(thread_pointer());
    int mine = 0, others = 0;
    write_own_word(&mine);
    EXPECT_EQ(word_at_thread_pointer(distance), &mine);
    std::thread([&] {
        EXPECT_EQ(word_at_thread_pointer(distance), nullptr);
        write_own_word(&others);
        EXPECT_EQ(word_at_thread_pointer(distance), &others);
    }).join();
    EXPECT_EQ(word_at_thread_pointer(distance), &mine);
    write_own_word(nullptr);
    EXPECT_EQ(word_at_thread_pointer(distance), nullptr);
}

}  // namespace
}  // namespace gossamer::arch
