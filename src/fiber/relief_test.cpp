// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Relief, the habit of it and the beat (docs/protocols/relief.md).
#include <unistd.h>

#include <atomic>
#include <set>
#include <vector>

#include "fiber/process_for_test.hpp"

namespace gossamer::fiber {
namespace {

TEST(Relief, AYieldEndsItWhenTheOthersMoveAgain) {
    in_process(with_carriers(1), [] {
        int ends[2];
        ASSERT_EQ(pipe(ends), 0);
        bool apart = false, back = false;
        new_team(2).run_with_caller(2, [&](std::uint32_t number) {
            char byte = 0;
            if (number == 0) {
                EXPECT_EQ(read(ends[0], &byte, 1), 1);  // holds its carrier until number 1 has run
            } else {
                apart = self()->carrier->relief;
                EXPECT_EQ(write(ends[1], &byte, 1), 1);
                while (self()->carrier->relief) yield();
                back = true;
            }
        });
        EXPECT_TRUE(apart && back);
        close(ends[0]);
        close(ends[1]);
    });
}

constexpr char functions[64] = {};  // their addresses stand for the functions that work calls

TEST(Relief, AHabitOfManyReliefsStartsApartAndTriesWithout) {
    in_process(with_carriers(1), [] {
        relief_was_needed.store(true);
        ReliefRecord record;
        const void* const kind = functions;
        // However often it has started before.
        for (int i = 0; i < 1000; ++i) EXPECT_FALSE(starts_apart(record, kind));
        Habit& habit = record.now();
        habit.reliefs.store(100);
        // Each time it is needed after all it is tried half as often.
        for (const int between : {63, 127, 255, 511, 1023, 1023}) {
            for (int i = 0; i < between; ++i) ASSERT_TRUE(starts_apart(record, kind));
            EXPECT_FALSE(starts_apart(record, kind));
            habit.reliefs.fetch_add(1);
        }
        EXPECT_TRUE(starts_apart(record, kind));
        // Without another one it is forgotten.
        habit.reliefs.store(2);
        for (int i = 0; i < 100; ++i) EXPECT_FALSE(starts_apart(record, kind));
        EXPECT_EQ(habit.reliefs.load(), 0u);
        habit.reliefs.store(100);
        int apart = 0;
        for (int i = 0; i < 130; ++i) apart += starts_apart(record, kind) ? 1 : 0;
        EXPECT_LT(apart, 130) << "and tried often again";
    });
}

// One owner calls functions that spin and others that do not.
TEST(Relief, EachKindOfWorkHasItsOwnHabit) {
    in_process(with_carriers(1), [] {
        relief_was_needed.store(true);
        ReliefRecord record;
        std::set<Habit*> habits;
        for (const char& each : functions) habits.insert(&record.choose(&each));
        EXPECT_GE(habits.size(), 8u);
        Habit& first = record.choose(functions);
        first.reliefs.store(100);
        const char* other = functions;
        while (&record.choose(other) == &first) ++other;
        EXPECT_FALSE(starts_apart(record, other));
        EXPECT_NE(&record.now(), &first);
        EXPECT_TRUE(starts_apart(record, functions));
        EXPECT_EQ(&record.now(), &first);
        record.forget();
        EXPECT_FALSE(starts_apart(record, functions));
    });
}

// Numbers 1 … width - 1 wait `rounds` times for number 0; how often they went on apart.
std::uint32_t waits_that_end_apart(TestTeam& team, std::uint32_t width, std::uint32_t rounds) {
    std::vector<std::atomic<Fiber*>> waiting(width);
    std::atomic<std::uint32_t> apart{0};
    team.run_with_caller(width, [&](std::uint32_t number) {
        for (std::uint32_t round = 0; round < rounds; ++round) {
            if (number != 0) {
                waiting[number].store(self());
                suspend();
                apart.fetch_add(self()->carrier->relief ? 1 : 0);
                continue;
            }
            for (std::uint32_t other = 1; other < width; ++other) {
                Fiber* fiber;
                while ((fiber = waiting[other].exchange(nullptr)) == nullptr) yield();
                resume(fiber);
            }
        }
    });
    return apart.load();
}

TEST(Relief, WhatHasTheHabitGoesOnApartInTheMiddleOfARegion) {
    in_process(with_carriers(1), [] {
        relief_was_needed.store(true);
        ReliefRecord record;
        TestTeam& team = new_team(6, &record);
        EXPECT_LT(waits_that_end_apart(team, 6, 20), 10u) << "without the habit";
        record.now().reliefs.store(100);
        EXPECT_GT(waits_that_end_apart(team, 6, 20), 50u) << "with it; the rest was resumed before it slept";
        // Now and then it is tried without. (A relief that a busy machine seems to need may come between.)
        bool tried = false;
        for (int tries = 0; tries < 100 && !tried; ++tries) {
            const std::uint32_t before = record.now().reliefs.load();
            waits_that_end_apart(team, 6, 20);
            tried = record.now().reliefs.load() < before;
        }
        EXPECT_TRUE(tried);
    });
}

TEST(Relief, WhatIsStartedUnderTheHabitHasItToo) {
    in_process(with_carriers(1), [] {
        relief_was_needed.store(true);
        ReliefRecord outer, inner;
        outer.now().reliefs.store(100);
        bool apart = false;
        new_team(2, &outer).run_with_caller(2, [&](std::uint32_t number) {
            if (number == 1) apart = starts_apart(inner, functions);
        });
        EXPECT_TRUE(apart);
        EXPECT_GT(inner.now().reliefs.load(), 0u);
    });
}

// The last number of a range leaves the queue with the thread that takes it.
TEST(Relief, ANumberIsTakenOnce) {
    in_process(with_carriers(1), [] {
        TestTeam& team = new_team(2);
        for (int round = 0; round < 5; ++round) {
            const std::uint64_t before = all_counters().relieved;
            std::atomic<bool> done{false};
            team.run_with_caller(2, [&](std::uint32_t number) {
                if (number == 1) {
                    os::sleep_native(10'000'000);  // several looks of the monitor
                    done.store(true);
                }
                while (!done.load()) arch::pause();
            });
            EXPECT_EQ(all_counters().relieved, before + 1);
        }
    });
}

void compute_for(std::uint64_t cpu_ns) {
    const std::uint64_t end = os::cpu_time_ns(0) + cpu_ns;
    while (os::cpu_time_ns(0) < end) {}
}

// What each does takes more than the shortest time by which the monitor tells a spinner. On some hosts only one round in
// 40 teaches it.
TEST(Relief, WhoSpinsForLongWorkOfItsSiblingsGetsTheHabit) {
    in_process(with_carriers(1), [] {
        ReliefRecord record;
        TestTeam& team = new_team(8, &record);
        for (int round = 0; round < 2000 && !starts_apart(record, functions); ++round) {
            std::atomic<std::uint32_t> arrived{0};
            team.run_with_caller(8, [&](std::uint32_t) {
                compute_for(1'000'000);
                arrived.fetch_add(1);
                while (arrived.load() < 8) arch::pause();
            });
        }
        EXPECT_TRUE(starts_apart(record, functions));
    });
}

// Relieved threads find little left, and all are through at the same time: the signs are those of threads that spin.
TEST(Relief, WhoFetchesFromOneCounterGetsNoHabit) {
    in_process(with_carriers(1), [] {
        ReliefRecord record;
        TestTeam& team = new_team(8, &record);
        std::uint32_t apart = 0;
        for (int round = 0; round < 200; ++round) {
            std::atomic<std::uint32_t> chunk{0};
            if (starts_apart(record, functions)) ++apart;
            team.run_with_caller(8, [&](std::uint32_t) {
                while (chunk.fetch_add(1) < 60) compute_for(50'000);
            });
        }
        EXPECT_GT(all_counters().relieved, 0u);
        EXPECT_EQ(apart, 0u);
    });
}

// What lies behind threads that compute for long, but not for ever, is mostly left to their carriers.
TEST(Relief, WhoComputesIsSeldomRelieved) {
    in_process(with_carriers(1), [] {
        ReliefRecord record;
        TestTeam& team = new_team(8, &record);
        for (int round = 0; round < 40; ++round) {
            std::atomic<std::uint32_t> arrived{0};
            team.run_with_caller(8, [&](std::uint32_t) {
                arrived.fetch_add(1);
                notify_all(arrived);
                for (std::uint32_t seen; (seen = arrived.load()) < 8;) wait(arrived, seen);
                compute_for(3'000'000);
            });
        }
        EXPECT_GT(all_counters().relieved, 0u);
        EXPECT_LT(all_counters().relieved, 50u);
    });
}

bool anything_suspected() {
    for (const Carrier& carrier : all_carriers()) {
        if (carrier.duty.suspicion.habit.load() != nullptr) return true;
    }
    return false;
}

// It computes on when all its siblings are through, which needed much less.
TEST(Relief, WhoHasMoreToComputeThanItsSiblingsTeachesNothing) {
    in_process(with_carriers(1), [] {
        ReliefRecord record;
        TestTeam& team = new_team(8, &record);
        std::uint64_t relieved = 0;
        for (int round = 0; round < 5; ++round) {
            std::atomic<std::uint32_t> done{0};
            team.run_with_caller(8, [&](std::uint32_t number) {
                if (number != 0) {
                    compute_for(200'000);
                    done.fetch_add(1);
                    return;
                }
                while (done.load() < 7 || g.apart.open.load() != 0 || anything_suspected()) arch::pause();
            });
            EXPECT_EQ(record.now().reliefs.load(), 0u);
            EXPECT_GT(all_counters().relieved, relieved);
            relieved = all_counters().relieved;
        }
    });
}

// A look that may come later comes, whatever the monitor does when it is asked for, and does not keep it from its sleep.
TEST(Relief, ALookThatMayComeLaterComes) {
    static std::atomic<int> wanted, came;
    Config config = with_carriers(1);
    config.look = [](Looker who) {
        if (who != Looker::monitor || wanted.load() == came.load()) return false;
        ++came;
        return true;
    };
    in_process(config, [] {
        for (int round = 0; round < 40; ++round) {
            ++wanted;
            look_later();
            if (round % 10 == 9) look_soon();
            while (came.load() != wanted.load()) os::sleep_native(100'000);
            if (round % 4 != 0) continue;
            while (!g.monitor.watch.sleeps()) os::sleep_native(1'000'000);
        }
        EXPECT_EQ(came.load(), 40);
    });
}

// The relieved work comes to its end when nothing has been queued for so long that the monitor sleeps.
TEST(Relief, WhoEndsWhileTheMonitorSleepsIsJudgedAllTheSame) {
    in_process(with_carriers(1), [] {
        ReliefRecord record;
        std::atomic<bool> done{false};
        new_team(2, &record).run_with_caller(2, [&](std::uint32_t number) {
            if (number == 1) {
                while (!g.monitor.watch.sleeps()) os::sleep_native(1'000'000);
                done.store(true);
                return;
            }
            while (!done.load() || g.apart.open.load() != 0 || anything_suspected()) arch::pause();
        });
        EXPECT_GE(all_counters().relieved, 1u);
    });
}

// The stuck carrier has computed for long, and sleeps in the system when the relieved work comes to its end: whatever CPU
// time it goes on to use, it would take minutes to tell by that whether it spun.
TEST(Relief, WhoSleepsKeepsNoSuspicionAlive) {
    in_process(with_carriers(1), [] {
        ReliefRecord record;
        std::atomic<bool> computed{false}, done{false};
        new_team(2, &record).run_with_caller(2, [&](std::uint32_t number) {
            if (number == 1) {
                while (!computed.load()) os::sleep_native(1'000'000);
                done.store(true);
                return;
            }
            compute_for(100'000'000);
            computed.store(true);
            while (!done.load() || g.apart.open.load() != 0 || anything_suspected()) os::sleep_native(20'000'000);
        });
        EXPECT_GE(all_counters().relieved, 1u);
        EXPECT_EQ(record.now().reliefs.load(), 0u);
    });
}

std::atomic<bool> hold{false}, held{false};  // the monitor, at the end of a look

// A relieved fiber starts teams of its own and waits for them, while the stuck carrier's fiber spins for it: each of its
// waits ends without the monitor.
TEST(Relief, WhatARelievedThreadStartsNeedsNoLook) {
    Config config = with_carriers(1);
    config.look = [](Looker who) {
        while (who == Looker::monitor && hold.load()) {
            held.store(true);
            os::sleep_native(1'000'000);
        }
        return false;
    };
    in_process(config, [] {
        TestTeam& outer = new_team(2);
        TestTeam& inner = new_team(4);
        std::atomic<bool> done{false};
        std::atomic<int> ran{0};
        outer.run_with_caller(2, [&](std::uint32_t number) {
            if (number == 0) {
                while (!done.load()) arch::pause();
                return;
            }
            hold.store(true);
            while (!held.load()) arch::pause();
            for (int round = 0; round < 100; ++round) inner.run_with_caller(4, [&](std::uint32_t) { ran.fetch_add(1); });
            hold.store(false);
            done.store(true);
        });
        EXPECT_EQ(ran.load(), 400);
    });
}

// More of them than processors, and nothing comes back.
TEST(Relief, WhoComputesApartGetsABeatAsLongAsThatLasts) {
    in_process(with_carriers(1), [] {
        const std::uint32_t width = 4 * os::cpu_count();  // other tests may run beside this one
        new_team(width).run_with_caller(
            width,
            [](std::uint32_t) {
                while (g.beat.count.load() == 0) arch::pause();
            },
            true);
        while (g.beat.tempo.load() != 0) os::sleep_native(1'000'000);
    });
}

TEST(Relief, WhoComputesApartButPassesSchedulingPointsGetsNoBeat) {
    // Where other programs have the processors, few come to such a point in a window, and may get a beat: then another time.
    SharedNumber beats(1);
    for (int tries = 100; tries > 0 && beats.load() != 0 && !HasFailure(); --tries) {
        in_process(with_carriers(1), [&] {
            const std::uint32_t width = 4 * os::cpu_count();
            const std::uint64_t end = os::now_ns() + 300'000'000;
            new_team(width).run_with_caller(
                width,
                [end](std::uint32_t) {
                    while (os::now_ns() < end) {
                        const std::uint64_t next = os::now_ns() + 3'000'000;  // too long to be waited for
                        while (os::now_ns() < next) arch::pause();
                        scheduling_point();
                    }
                },
                true);
            if (all_counters().relieved > os::cpu_count()) beats.store(g.beat.count.load());
        });
    }
    EXPECT_EQ(beats.load(), 0u);
}

TEST(Relief, NumbersOfARangeRunApart) {
    in_each_shape([] {
        TestTeam& team = new_team(6);
        for (int round = 0; round < 3; ++round) {
            std::atomic<std::uint32_t> arrived{0};
            team.run_with_caller(
                6,
                [&](std::uint32_t) {
                    arrived.fetch_add(1);
                    while (arrived.load() < 6) arch::pause();  // all of them at once, or never
                },
                true);
            EXPECT_EQ(arrived.load(), 6u);
        }
        EXPECT_GE(all_counters().relieved, 3u * 5);
    });
}

}  // namespace
}  // namespace gossamer::fiber
