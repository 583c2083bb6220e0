// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Giving way on request (give_way.hpp): work behind a thread that passes scheduling points needs no native thread of its own.

#include <atomic>
#include <functional>

#include "fiber/give_way.hpp"
#include "fiber/process_for_test.hpp"

namespace gossamer::fiber {
namespace {

TEST(GivingWay, QueuedWorkRunsAtTheNextSchedulingPoint) {
    without_relief(with_carriers(1), [] {
        std::atomic<int> ran{0};
        new_team(4).run_with_caller(4, [&](std::uint32_t number) {
            if (number != 0) {
                ran.fetch_add(1);
                return;
            }
            while (ran.load() < 3) scheduling_point();
        });
    });
}

TEST(GivingWay, SoDoesAHomeThatIsReady) {
    without_relief(with_carriers(1), [] {
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
    });
}

// Each of them is asked in turn, and none is forgotten: they wait for each other, round after round.
TEST(GivingWay, ManyTakeTurns) {
    without_relief(with_carriers(2), [] {
        constexpr std::uint32_t width = 6, rounds = 5;
        std::atomic<std::uint32_t> arrived{0};
        new_team(width).run_with_caller(width, [&](std::uint32_t) {
            for (std::uint32_t round = 1; round <= rounds; ++round) {
                arrived.fetch_add(1);
                while (arrived.load() < round * width) scheduling_point();
            }
        });
        EXPECT_EQ(arrived.load(), width * rounds);
    });
}

// What a carrier comes to that is asked while three numbers are queued on it, by the `steps` of the thread that runs there.
struct Asked {
    bool before = false;  // the carrier was still asked as the first of them ran,
    bool after = false;   // and after the steps
    bool ran = false;     // some of them ran meanwhile
};

Asked ask_once(const std::function<void()>& steps) {
    SharedNumber before(0), after(0), ran(0);
    without_relief(with_carriers(1), [&] {
        new_team(4).run_with_caller(4, [](std::uint32_t) { yield(); });  // so that no fiber has to be made later
        std::atomic<bool> began{false};
        new_team(4).run_with_caller(4, [&](std::uint32_t number) {
            Carrier& carrier = *self()->carrier;
            if (number != 0) {
                if (!began.exchange(true)) before.store(carrier.asked.load());
                return;
            }
            carrier.polling.gave_way_at = arch::cycles();
            ask_to_give_way(carrier);
            steps();
            after.store(carrier.asked.load());
            ran.store(began.load());
        });
    });
    return {before.load() != 0, after.load() != 0, ran.load() != 0};
}

void poll(int times) {
    for (int each = 0; each < times; ++each) polling_point();
}

// Whether it comes to what is `expected` in one of several tries. The host, or an emulator, may take the processor away for so
// long that a turn is over, or that the monitor asks once more.
bool comes_to(const std::function<void()>& steps, bool (*expected)(const Asked&)) {
    for (int tries = 0; tries < 20; ++tries) {
        if (expected(ask_once(steps))) return true;
    }
    return false;
}

TEST(GivingWay, AThreadThatWorksAnswersARequestByOneStep) {
    EXPECT_TRUE(comes_to([] { scheduling_point(); }, [](const Asked& it) { return it.ran && !it.before && !it.after; }));
}

TEST(GivingWay, ThreadsThatPollTakeTurnsWithNoFurtherRequest) {
    const auto poll_for_long = [] {
        const std::uint64_t begin = arch::cycles();
        while (arch::cycles() - begin < cycles_in(100'000)) polling_point();
    };
    EXPECT_TRUE(comes_to(poll_for_long, [](const Asked& it) { return it.ran && it.before; }));
}

TEST(GivingWay, AmongPollsAStepOfAThreadThatWorksIsNoAnswer) {
#if defined(GOSSAMER_EMULATED)
    GTEST_SKIP() << "so many polls are longer than a turn";
#endif
    const auto poll_and_step = [] {
        poll(200);
        scheduling_point();
    };
    EXPECT_TRUE(comes_to(poll_and_step, [](const Asked& it) { return !it.ran && it.after; }));
}

TEST(GivingWay, AFewPollsAreNotPolling) {
    const auto poll_and_step = [] {
        poll(10);
        scheduling_point();
    };
    EXPECT_TRUE(comes_to(poll_and_step, [](const Asked& it) { return it.ran && !it.after; }));
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
