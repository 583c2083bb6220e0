// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the tests of this layer stand on: a process of its own for each configuration, since a process is
// configured once, and the least team that runs numbers as a range.
#pragma once

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <new>
#include <vector>

#include "fiber/fiber.hpp"
#include "fiber/scheduler.hpp"

#if defined(GOSSAMER_TSAN)
// Else each process sleeps for a second when it ends, and the tests start hundreds.
extern "C" [[gnu::used]] inline const char* __tsan_default_options() { return "atexit_sleep_ms=0"; }
#endif

namespace gossamer::fiber {

// Runs `body` in a child process, as a root on carriers of this configuration. What it expects is reported
// there, and counts here. A child that hangs is ended by its alarm, which tells the same.
inline void in_process(const Config& config, const std::function<void()>& body) {
    constexpr unsigned longest_seconds = 60;
    std::fflush(nullptr);
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        ::alarm(longest_seconds);
        configure(config);
        if (enter()) {
            body();
        } else {
            ADD_FAILURE() << "the process cannot become a carrier";
        }
        std::fflush(nullptr);
        ::_exit(::testing::Test::HasFailure() ? 1 : 0);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status)) << "ended by signal " << WTERMSIG(status) << " (14: it hung)";
    if (WIFEXITED(status)) {
        EXPECT_EQ(WEXITSTATUS(status), 0) << "see above";
    }
}

// A number that a process shares with those that it forks.
class SharedNumber {
public:
    explicit SharedNumber(std::uint64_t value)
        : memory_(::mmap(nullptr, sizeof(Number), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)) {
        EXPECT_NE(memory_, MAP_FAILED);
        ::new (memory_) Number{value};
    }
    ~SharedNumber() { ::munmap(memory_, sizeof(Number)); }
    SharedNumber(const SharedNumber&) = delete;
    SharedNumber& operator=(const SharedNumber&) = delete;

    std::uint64_t load() const { return static_cast<const Number*>(memory_)->load(); }
    void store(std::uint64_t value) { static_cast<Number*>(memory_)->store(value); }

private:
    using Number = std::atomic<std::uint64_t>;
    void* memory_;
};

inline Config with_carriers(std::uint32_t carriers, std::uint64_t chaos = 0) {
    Config config;
    config.carriers = carriers;
    config.stack_size = 256u << 10;
    config.chaos = chaos;
    return config;
}

// Every shape that a test of the scheduler is worth: one carrier, fewer and more than this machine's, left
// alone and under chaos.
inline std::vector<Config> shapes() {
    std::vector<Config> all;
    for (std::uint32_t carriers : {1u, 2u, 3u, 5u}) {
        for (std::uint64_t chaos : {0u, 7u, 9u}) all.push_back(with_carriers(carriers, chaos));
    }
    return all;
}

inline void in_each_shape(const std::function<void()>& body) {
    for (const Config& shape : shapes()) {
        SCOPED_TRACE(::testing::Message() << shape.carriers << " carriers, chaos " << shape.chaos);
        in_process(shape, body);
    }
}

// Numbers [0, size) that a range hands out. As those of a real team, its descriptors stay what they are for
// ever.
class TestTeam {
public:
    using Body = std::function<void(std::uint32_t number)>;

    explicit TestTeam(std::uint32_t capacity, ReliefRecord* record = nullptr) : ranges_(new Part[capacity]) {
        for (std::uint32_t number = 0; number < capacity; ++number) {
            Part& part = ranges_[number];
            part.team = this;
            part.record = record;
            part.call = [](Range& range, std::uint32_t taken, Fiber&) { static_cast<Part&>(range).team->body_(taken); };
            part.unfinished = &left_;
            part.last = [](Range& range) { static_cast<Part&>(range).team->wake(); };
            part.part = [](Range& range, std::uint32_t lo) -> Range& { return static_cast<Part&>(range).team->ranges_[lo]; };
        }
    }

    // Returns when all numbers are done. The caller runs none itself.
    void run(std::uint32_t size, Body body) {
        body_ = std::move(body);
        left_.store(size, std::memory_order_relaxed);
        ranges_[0].span.arm(0, size);
        offer(ranges_[0]);
        join();
    }

    // The same with number 0 on the caller's own fiber, and the others on native threads of their own if `apart`.
    void run_with_caller(std::uint32_t size, Body body, bool apart = false) {
        body_ = std::move(body);
        left_.store(size, std::memory_order_relaxed);
        if (size > 1) {
            ranges_[1].span.arm(1, size);
            apart ? offer_apart(ranges_[1]) : offer(ranges_[1]);
        }
        body_(0);
        finish(1);
        join();
    }

    void finish(std::uint32_t count) {
        if (left_.fetch_sub(count) == count) wake();
    }

    void wake() {
        if (sleepers_.load() != 0) wake_slot(joiner_, sleepers_);
    }

private:
    struct Part : Range {
        TestTeam* team = nullptr;
    };

    void join() {
        wait_slot(joiner_, sleepers_, [this] { return left_.load() == 0; });
    }

    std::unique_ptr<Part[]> ranges_;
    Body body_;
    std::atomic<std::uint32_t> left_{0};
    std::atomic<std::uint32_t> sleepers_{0};
    WaitSlot joiner_;
};

// Teams are never freed while a carrier may still hold a pointer into one, so not before the process ends.
inline TestTeam& new_team(std::uint32_t capacity, ReliefRecord* record = nullptr) { return *new TestTeam(capacity, record); }

// Carriers write them meanwhile, each its own, without atomics: the values read may be old.
[[gnu::no_sanitize("thread")]] inline Counters all_counters() {
    Counters sum;
    for (std::uint32_t i = 0; i < g.slots.load(); ++i) {
        const Counters& each = g.carriers[i].load()->counters;
        sum.switches += each.switches;
        sum.calls += each.calls;
        sum.steals += each.steals;
        sum.parks += each.parks;
        sum.partings += each.partings;
        sum.relieved += each.relieved;
    }
    return sum;
}

// Runs `body` in processes of their own until one of them has relieved nobody. One may have to: where the host takes the
// processor away for longer than the monitor waits, or where instrumented code is slow. Under an emulator each may: the first
// switch may take longer than that, since an emulator translates code when that first runs, and a thread sleeps in the
// emulator's own locks.
inline void without_relief(const Config& config, const std::function<void()>& body) {
    SharedNumber relieved(1);
#if defined(GOSSAMER_EMULATED)
    constexpr int most_tries = 1;
#else
    constexpr int most_tries = 20;
#endif
    for (int tries = most_tries; tries > 0 && relieved.load() != 0 && !::testing::Test::HasFailure(); --tries) {
        in_process(config, [&] {
            body();
            relieved.store(all_counters().relieved);
        });
    }
    if (most_tries > 1) {
        EXPECT_EQ(relieved.load(), 0u);
    }
}

}  // namespace gossamer::fiber
