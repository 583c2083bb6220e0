// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Giving way on request (give_way.hpp): work behind a thread that passes scheduling points needs no native thread of its own.

#include <atomic>

#include "fiber/process_for_test.hpp"

namespace gossamer::fiber {
namespace {

// Under an emulator the monitor may be right to relieve: the first switch may take longer than it waits, since an emulator
// translates code when that first runs, and a thread sleeps in the emulator's own locks.
void expect_no_relief() {
#if !defined(GOSSAMER_EMULATED)
    EXPECT_EQ(all_counters().relieved, 0u);
#endif
}

TEST(GivingWay, QueuedWorkRunsAtTheNextSchedulingPoint) {
    in_process(with_carriers(1), [] {
        std::atomic<int> ran{0};
        new_team(4).run_with_caller(4, [&](std::uint32_t number) {
            if (number != 0) {
                ran.fetch_add(1);
                return;
            }
            while (ran.load() < 3) scheduling_point();
        });
        expect_no_relief();
    });
}

TEST(GivingWay, SoDoesAHomeThatIsReady) {
    in_process(with_carriers(1), [] {
        std::atomic<bool> began{false}, over{false};
        new_team(2).run_with_caller(2, [&](std::uint32_t number) {
            if (number == 0) {
                while (!began.load()) yield();
                over.store(true);
                return;
            }
            began.store(true);
            while (!over.load()) scheduling_point();
        });
        expect_no_relief();
    });
}

// Each of them is asked in turn, and none is forgotten: they wait for each other, round after round.
TEST(GivingWay, ManyTakeTurns) {
    in_process(with_carriers(2), [] {
        constexpr std::uint32_t width = 6, rounds = 5;
        std::atomic<std::uint32_t> arrived{0};
        new_team(width).run_with_caller(width, [&](std::uint32_t) {
            for (std::uint32_t round = 1; round <= rounds; ++round) {
                arrived.fetch_add(1);
                while (arrived.load() < round * width) scheduling_point();
            }
        });
        EXPECT_EQ(arrived.load(), width * rounds);
        expect_no_relief();
    });
}

TEST(GivingWay, WhoPassesNoSchedulingPointIsRelieved) {
    in_process(with_carriers(1), [] {
        std::atomic<bool> ran{false};
        new_team(2).run_with_caller(2, [&](std::uint32_t number) {
            if (number != 0) return ran.store(true);
            while (!ran.load()) arch::pause();
        });
        EXPECT_EQ(all_counters().relieved, 1u);
    });
}

}  // namespace
}  // namespace gossamer::fiber
