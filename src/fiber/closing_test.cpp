// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <dirent.h>

#include <set>
#include <thread>

#include "fiber/process_for_test.hpp"

namespace gossamer::fiber {
namespace {

std::size_t native_threads() {
    DIR* const tasks = opendir("/proc/self/task");
    std::size_t count = 0;
    while (const dirent* entry = readdir(tasks)) count += entry->d_name[0] != '.' ? 1 : 0;
    closedir(tasks);
    return count;
}

// Numbers that all suspend, so that each needs a fiber of its own.
void suspend_together(std::uint32_t size) {
    std::atomic<std::uint32_t> arrived{0};
    new_team(size).run_with_caller(size, [&](std::uint32_t) {
        arrived.fetch_add(1);
        notify_all(arrived);
        for (std::uint32_t seen; (seen = arrived.load()) < size;) wait(arrived, seen);
    });
}

TEST(Closing, EverythingGoesAndComesBack) {
    in_each_shape([] {
        static std::set<std::uint32_t> retired;
        std::size_t rest = 0;
        for (int time = 0; time < 5; ++time) {
            ASSERT_TRUE(enter());
            suspend_together(12);
            Fiber* const reserved = reserve();
            ASSERT_NE(reserved, nullptr);
            std::atomic<bool> ran{false};
            const auto run = [](void* flag) { static_cast<std::atomic<bool>*>(flag)->store(true); };
            const bool queued = start(reserved, {run, &ran, nullptr, false}, 0);
            wake_started(0, 1, queued);
            while (!ran.load()) yield();
            const std::size_t before = native_threads();
            release(reserved);
            retired.clear();
            ASSERT_TRUE(close_down([](std::uint32_t id) { retired.insert(id); }));
            // The kernel lists a thread for a moment longer than it takes to join it.
            while (native_threads() > (time == 0 ? before - 1 : rest)) os::sleep_native(1'000'000);
            if (time == 0) rest = native_threads();  // one, or also those of a sanitizer
            EXPECT_GE(retired.size(), 11u);
            EXPECT_EQ(self()->carrier, nullptr);
        }
    });
}

// A number for which nobody waits, so that it is still queued, or runs, when its caller closes down.
struct Straggler : Range {
    Straggler() {
        call = [](Range&, std::uint32_t, Fiber&) {
            const std::uint64_t until = os::now_ns() + 2'000'000;
            while (os::now_ns() < until) arch::pause();
        };
        unfinished = &left;
        last = [](Range&) {};
        part = [](Range& range, std::uint32_t) -> Range& { return range; };
        span.arm(0, 1);
    }
    std::atomic<std::uint32_t> left{1};
};

// Under chaos the monitor has the caller run elsewhere while the straggler keeps the caller's carrier. By its habit the caller
// would stay there when it yields.
TEST(Closing, ByACallerThatRunsElsewhere) {
    for (std::uint32_t carriers : {1u, 2u}) {
        in_process(with_carriers(carriers, 7), [] {
            for (int time = 0; time < 10; ++time) {
                ASSERT_TRUE(enter());
                ReliefRecord record;
                record.now().reliefs.store(100);
                self()->record = &record;
                offer(*new Straggler);
                ASSERT_TRUE(close_down(nullptr));
                EXPECT_EQ(self()->carrier, nullptr);
            }
        });
    }
}

struct EntersAtItsEnd {
    static inline std::atomic<int> refused{0};
    bool used = false;
    ~EntersAtItsEnd() {
        if (used && !enter()) ++refused;
    }
};
thread_local EntersAtItsEnd enters_at_its_end;

TEST(Closing, ItsOwnThreadsComeToNothingAtTheirEnds) {
    in_each_shape([] {
        EntersAtItsEnd::refused.store(0);
        ASSERT_TRUE(enter());
        std::atomic<std::uint32_t> arrived{0};
        new_team(12).run_with_caller(12, [&](std::uint32_t number) {
            enters_at_its_end.used = number != 0;  // the caller does not end
            arrived.fetch_add(1);
            notify_all(arrived);
            for (std::uint32_t seen; (seen = arrived.load()) < 12;) wait(arrived, seen);
        });
        ASSERT_TRUE(close_down(nullptr));
        EXPECT_EQ(EntersAtItsEnd::refused.load(), 11);
        ASSERT_TRUE(enter());
        suspend_together(4);
    });
}

TEST(Closing, NotWhileOthersAreIn) {
    in_process(with_carriers(2), [] {
        ASSERT_TRUE(enter());
        std::atomic<int> stage{0};
        std::thread other([&] {
            ASSERT_TRUE(enter());
            suspend_together(4);
            stage.store(1);
            while (stage.load() == 1) std::this_thread::yield();
            leave();
            stage.store(3);
        });
        while (stage.load() == 0) std::this_thread::yield();
        EXPECT_FALSE(close_down(nullptr));
        suspend_together(4);
        stage.store(2);
        while (stage.load() == 2) std::this_thread::yield();
        EXPECT_TRUE(close_down(nullptr));
        other.join();
    });
}

TEST(Closing, RootsThatComeMeanwhileWait) {
    in_process(with_carriers(2), [] {
        std::atomic<bool> done{false};
        std::thread other([&] {
            while (!done.load()) {
                ASSERT_TRUE(enter());
                suspend_together(3);
                leave();
                os::sleep_native(1'000'000);  // a chance for the other root to find none in
            }
        });
        for (int closed = 0; closed < 5; ++closed) {
            ASSERT_TRUE(enter());
            suspend_together(3);
            while (!close_down(nullptr)) os::sleep_native(100'000);
        }
        done.store(true);
        other.join();
    });
}

}  // namespace
}  // namespace gossamer::fiber
