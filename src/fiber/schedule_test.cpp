// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fiber/schedule.hpp"

#include <time.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "fiber/process_for_test.hpp"

namespace gossamer::fiber {
namespace {

std::uint64_t cpu_time_ns() {
    timespec used{};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    return static_cast<std::uint64_t>(used.tv_sec) * 1'000'000'000u + static_cast<std::uint64_t>(used.tv_nsec);
}

// Waits by nothing but yields.
template <class Done>
void yield_until(const Done& done) {
    while (!done()) yield();
}

TEST(Suspend, NumbersResumeEachOther) {
    in_each_shape([] {
        constexpr std::uint32_t size = 24;
        TestTeam& team = new_team(size);
        for (int round = 0; round < 20; ++round) {
            std::atomic<Fiber*> waiting[size] = {};
            std::atomic<std::uint32_t> resumed{0};
            team.run(size, [&](std::uint32_t number) {
                // Even ones wait; each odd one resumes its neighbour.
                if (number % 2 == 0) {
                    waiting[number].store(self());
                    suspend();
                    resumed.fetch_add(1);
                } else {
                    Fiber* partner;
                    yield_until([&] { return (partner = waiting[number - 1].load()) != nullptr; });
                    resume(partner);
                }
            });
            EXPECT_EQ(resumed.load(), size / 2);
        }
    });
}

TEST(Suspend, PlainThreadsResumeFibersAndHomes) {
    in_each_shape([] {
        constexpr std::uint32_t size = 8;
        constexpr int turns = 50;
        TestTeam& team = new_team(size);
        std::atomic<Fiber*> waiting[size] = {};
        std::atomic<bool> over{false};
        std::thread outsider([&] {
            while (!over.load()) {
                for (auto& each : waiting) {
                    if (Fiber* const fiber = each.exchange(nullptr)) resume(fiber);
                }
                std::this_thread::yield();
            }
        });
        std::atomic<int> passed{0};
        team.run_with_caller(size, [&](std::uint32_t number) {
            for (int turn = 0; turn < turns; ++turn) {
                waiting[number].store(self());
                suspend();
                passed.fetch_add(1);
            }
        });
        over.store(true);
        outsider.join();
        EXPECT_EQ(passed.load(), static_cast<int>(size) * turns);
    });
}

TEST(Suspend, ResumeMayComeFirst) {
    in_each_shape([] {
        TestTeam& team = new_team(6);
        int passed[6] = {};
        team.run_with_caller(6, [&](std::uint32_t number) {
            for (int i = 0; i < 100; ++i) {
                resume(self());
                if (number % 2 == 0) yield();  // also with a yield between, on a home as on any other fiber
                suspend();
                ++passed[number];
            }
        });
        for (int each : passed) EXPECT_EQ(each, 100);
    });
}

TEST(Suspend, PlainThreadWaitsForAFiber) {
    in_process(with_carriers(2), [] {
        std::atomic<Fiber*> waiting{nullptr};
        std::atomic<bool> passed{false};
        std::thread outsider([&] {
            waiting.store(self());
            suspend();
            passed.store(true);
            leave();
        });
        TestTeam& team = new_team(2);
        team.run(2, [&](std::uint32_t number) {
            if (number == 1) {
                yield_until([&] { return waiting.load() != nullptr; });
                resume(waiting.load());
            }
        });
        outsider.join();
        EXPECT_TRUE(passed.load());
    });
}

TEST(Yield, FibersThatOnlyYieldStarveNobody) {
    // With one carrier, a number that has not started yet can be reached only if those that yield let it.
    in_each_shape([] {
        constexpr std::uint32_t size = 17;
        TestTeam& team = new_team(size);
        std::atomic<std::uint32_t> arrived{0};
        team.run_with_caller(size, [&](std::uint32_t) {
            arrived.fetch_add(1);
            yield_until([&] { return arrived.load() == size; });
        });
        EXPECT_EQ(arrived.load(), size);
    });
}

TEST(Yield, FibersThatWakeEachOtherStarveNobody) {
    in_each_shape([] {
        TestTeam& team = new_team(4);
        std::atomic<bool> stop{false};
        std::atomic<Fiber*> there[2] = {};
        team.run_with_caller(4, [&](std::uint32_t number) {
            if (number == 3) {
                stop.store(true);
            } else if (number != 0) {
                // Two that pass a token until number 3 has run.
                const std::uint32_t me = number - 1;
                while (!stop.load()) {
                    if (Fiber* const other = there[1 - me].exchange(nullptr)) resume(other);
                    there[me].store(self());
                    if (stop.load() && there[me].exchange(nullptr) != nullptr) break;
                    suspend();
                }
                if (Fiber* const other = there[1 - me].exchange(nullptr)) resume(other);
            } else {
                // Lets the token start when both are there; they go on by themselves.
                while (!stop.load()) {
                    for (auto& each : there) {
                        if (Fiber* const fiber = each.exchange(nullptr)) resume(fiber);
                    }
                    yield();
                }
                for (auto& each : there) {
                    if (Fiber* const fiber = each.exchange(nullptr)) resume(fiber);
                }
            }
        });
        EXPECT_TRUE(stop.load());
    });
}

TEST(Yield, SaysWhetherSomethingRan) {
    in_process(with_carriers(1), [] {
        EXPECT_FALSE(yield());
        TestTeam& team = new_team(2);
        // Where a round takes long (emulation, a busy machine), the monitor may have relieved the queued fibers.
        bool found = false;
        for (int round = 0; round < 100 && !found; ++round) {
            std::atomic<bool> ran{false};
            team.run_with_caller(2, [&](std::uint32_t number) {
                if (number == 0) {
                    const bool before = ran;
                    const bool some = yield();
                    found = !before && some && ran;
                } else {
                    ran = true;
                }
            });
            EXPECT_TRUE(ran);
        }
        EXPECT_TRUE(found);
    });
}

TEST(Ranges, EachNumberOnce) {
    in_each_shape([] {
        constexpr std::uint32_t most = 300;
        TestTeam& team = new_team(most);
        for (std::uint32_t size : {1u, 2u, 3u, 7u, 64u, 300u, 5u, 299u}) {
            for (int round = 0; round < 5; ++round) {
                std::vector<std::atomic<int>> ran(size);
                team.run(size, [&](std::uint32_t number) { ran[number].fetch_add(1); });
                for (std::uint32_t number = 0; number < size; ++number) {
                    EXPECT_EQ(ran[number].load(), 1) << number << " of " << size;
                }
            }
        }
    });
}

TEST(Ranges, NumbersWaitForOneAnother) {
    // A barrier in mid-call: no number can finish before all have begun, so each needs a fiber of its own.
    in_each_shape([] {
        constexpr std::uint32_t size = 40;
        TestTeam& team = new_team(size);
        for (int round = 0; round < 10; ++round) {
            std::atomic<std::uint32_t> arrived{0};
            std::vector<std::atomic<int>> ran(size);
            team.run(size, [&](std::uint32_t number) {
                scheduling_point();
                if (arrived.fetch_add(1) + 1 == size) {
                    notify_all(arrived);
                } else {
                    for (std::uint32_t seen; (seen = arrived.load()) < size;) wait(arrived, seen);
                }
                ran[number].fetch_add(1);
            });
            for (auto& each : ran) EXPECT_EQ(each.load(), 1);
        }
    });
}

TEST(Ranges, Nested) {
    in_each_shape([] {
        constexpr std::uint32_t outer = 9, inner = 7;
        TestTeam& team = new_team(outer);
        std::vector<TestTeam*> teams;
        for (std::uint32_t i = 0; i < outer; ++i) teams.push_back(&new_team(inner));
        for (int round = 0; round < 15; ++round) {
            std::vector<std::atomic<int>> ran(outer * inner);
            team.run_with_caller(outer, [&](std::uint32_t number) {
                scheduling_point();
                teams[number]->run_with_caller(inner, [&, number](std::uint32_t below) {
                    scheduling_point();
                    ran[number * inner + below].fetch_add(1);
                    yield();
                });
            });
            for (auto& each : ran) EXPECT_EQ(each.load(), 1);
        }
    });
}

TEST(Order, NestedTeamsWhoseNumbersWaitRunOneAfterAnother) {
    // One carrier. A team of which every number waits takes two decisions for each. The team that comes next begins only where
    // the oldest work has its turn, once a millisecond.
    in_process(with_carriers(1), [] {
        static constexpr std::uint32_t outer = 24, inner = 150;
        struct Inner {
            TestTeam* team = &new_team(inner);
            std::atomic<std::uint32_t> arrived{0};
        };
        std::vector<Inner> inners(outer);
        TestTeam& team = new_team(outer);
        for (int round = 0; round < 2; ++round) {  // fibers are made in the first
            std::atomic<std::uint32_t> at_work{0}, most{0};
            const auto begin = std::chrono::steady_clock::now();
            team.run_with_caller(outer, [&](std::uint32_t number) {
                Inner& mine = inners[number];
                mine.arrived.store(0);
                // Only where the monitor relieves a number do two native threads come here at once, and then most is a little
                // off.
                most.store(std::max(most.load(), ++at_work));
                mine.team->run_with_caller(inner, [&mine](std::uint32_t) {
                    if (mine.arrived.fetch_add(1) + 1 == inner) return notify_all(mine.arrived);
                    for (std::uint32_t seen; (seen = mine.arrived.load()) < inner;) wait(mine.arrived, seen);
                });
                --at_work;
            });
            const auto took = std::chrono::steady_clock::now() - begin;
            const auto turns = std::chrono::duration_cast<std::chrono::milliseconds>(took).count();
            if (round != 0) {
                EXPECT_LE(most.load(), 2 + turns);
            }
        }
    });
}

TEST(Ranges, RunAsPlainCallsWhileNobodyWaits) {
    in_process(with_carriers(1), [] {
        TestTeam& team = new_team(1000);
        // Under emulation the carrier may look stuck, and be relieved of a number; the lender that ran it may still be on its
        // way back.
        const auto run_and_count = [&] {
            team.run(1000, [](std::uint32_t) {});
            while (g.apart.open.load() != 0) os::sleep_native(100'000);
            return all_counters();
        };
        const Counters before = run_and_count();
        const Counters after = run_and_count();
        EXPECT_EQ(after.calls - before.calls, 1000u);
        EXPECT_LE(after.switches - before.switches, 2 + 2 * (after.relieved - before.relieved)) << "there, and back home";
    });
}

TEST(Ranges, OnesThatRanOutDoNotGrowADeque) {
    // What a carrier offers is taken by others, again and again, and it never looks for work itself.
    in_process(with_carriers(1), [] {
        static ReliefRecord record;
        static Range range;
        range.call = [](Range&, std::uint32_t, Fiber&) {};
        static std::atomic<std::uint32_t> left{UINT32_MAX};
        range.unfinished = &left;
        range.last = [](Range&) {};
        range.part = [](Range& whole, std::uint32_t) -> Range& { return whole; };
        range.record = &record;
        Carrier& mine = *self()->carrier;
        std::size_t most = 0;
        for (int round = 0; round < 10'000; ++round) {
            std::uint32_t lo, hi;
            range.span.arm(0, 1);
            offer(range);
            // On a slow machine the monitor may have sent a lender for it.
            if (!range.span.take_half(lo, hi)) continue;
            most = std::max(most, mine.deque.size_hint());
        }
        EXPECT_LE(most, 64u);
        if (self()->carrier != &mine) return;
        EXPECT_FALSE(yield()) << "nothing of it is work";
    });
}

struct Started {
    std::atomic<int> ran{0};
    std::atomic<Fiber*> on{nullptr};
    std::atomic<std::uint32_t>* left = nullptr;

    static void call(void* argument) {
        Started& me = *static_cast<Started*>(argument);
        me.on.store(self());
        yield();
        me.ran.fetch_add(1);
        std::atomic<std::uint32_t>& left = *me.left;
        left.fetch_sub(1);  // `me` may be gone from here on
        notify_all(left);
    }
};

void wait_for_zero(std::atomic<std::uint32_t>& left) {
    for (std::uint32_t seen; (seen = left.load()) != 0;) wait_while(left, seen);
}

TEST(Start, HomesAndReservedFibersAgainAndAgain) {
    in_each_shape([] {
        constexpr std::uint32_t more = 6;
        const std::uint32_t carriers = carrier_count();
        std::vector<Fiber*> crew;
        for (std::uint32_t i = 1; i < carriers; ++i) crew.push_back(worker_home(i));
        for (std::uint32_t i = 0; i < more; ++i) crew.push_back(reserve());
        std::vector<Started> jobs(crew.size());
        std::atomic<std::uint32_t> left;
        for (int round = 0; round < 60; ++round) {
            left.store(static_cast<std::uint32_t>(crew.size()));
            bool queued = false;
            for (std::size_t i = 0; i < crew.size(); ++i) {
                jobs[i].left = &left;
                queued |=
                    start(crew[i], {Started::call, &jobs[i], nullptr, false}, static_cast<std::uint32_t>((i + 1) % carriers));
            }
            wake_started(carriers, carriers, queued);
            wait_for_zero(left);
            for (std::size_t i = 0; i < crew.size(); ++i) EXPECT_EQ(jobs[i].on.load(), crew[i]);
            // Notified is not over: the call goes on to return. The next start may come all the same.
        }
        for (auto& job : jobs) EXPECT_EQ(job.ran.load(), 60);
        for (std::size_t i = carriers - 1; i < crew.size(); ++i) release(crew[i]);
        TestTeam& team = new_team(20);  // those released serve the loop again
        std::atomic<int> sum{0};
        team.run(20, [&](std::uint32_t) {
            yield();
            sum.fetch_add(1);
        });
        EXPECT_EQ(sum.load(), 20);
    });
}

// A home starts fibers, which wait for each other and for it, and is served only when all are through.
TEST(Start, AHomeWaitsForThoseItHasStarted) {
    for (const std::uint64_t chaos : {0u, 7u}) {
        in_process(with_carriers(2, chaos), [] {
            static constexpr std::uint32_t size = 5;
            static Fiber* fibers[size];
            static std::atomic<std::uint32_t> begun{0}, ended{0}, left{0};
            static Fiber* home;
            ASSERT_TRUE(enter());
            home = worker_home(1);
            for (Fiber*& each : fibers) each = reserve();
            constexpr StartCall member = [](void*) {
                begun.fetch_add(1);
                yield_until([] { return begun.load() == size + 1; });
                ended.fetch_add(1);
                count_down(left, *home);
            };
            constexpr StartCall leader = [](void*) {
                left.store(size);
                for (Fiber* const each : fibers) start(each, {member, nullptr, nullptr, false}, 1);
                wake_started(0, 0, true);
                begun.fetch_add(1);
                await_zero(left, [](const void*) { return false; }, nullptr);
                EXPECT_EQ(ended.load(), size);
                report_served();
            };
            for (int round = 0; round < 200; ++round) {
                begun = ended = 0;
                start_now(home, {leader, nullptr, nullptr, false}, 1);
                yield_until([] { return has_served(*home); });
                EXPECT_EQ(ended.load(), size);
            }
            for (Fiber* const each : fibers) release(each);
        });
    }
}

// Its descriptor is no home's, but ends like one.
TEST(Start, TheOnlyFiberOfAForkedChildMayEnd) {
    in_process(with_carriers(1), [] {
        static std::atomic<int> status;
        status = -1;
        Fiber* const fiber = reserve();
        constexpr StartCall forks = [](void*) {
            EXPECT_EQ(self()->kind, Kind::full);
            const pid_t child = ::fork();
            if (child == 0) {
                forked_child();
                leave();
                ::_exit(known_self() == nullptr ? 0 : 1);
            }
            int ended = -1;
            if (child > 0) ::waitpid(child, &ended, 0);
            status = ended;
        };
        start_now(fiber, {forks, nullptr, nullptr, false}, 0);
        yield_until([] { return status.load() != -1; });
        EXPECT_EQ(status.load(), 0);
        release(fiber);
    });
}

// The caller comes back when the count is zero, or when nothing is left here, whichever is first.
TEST(Start, AHomeRunsWhatIsQueuedHere) {
    in_process(with_carriers(1), [] {
        static std::atomic<std::uint32_t> left{0};
        static Fiber* waiting;
        ASSERT_TRUE(enter());
        Fiber* const fibers[] = {reserve(), reserve()};
        constexpr StartCall counts = [](void*) { left.fetch_sub(1); };
        constexpr StartCall waits = [](void*) {
            waiting = self();
            suspend();
            left.fetch_sub(1);
        };
        left.store(2);
        start(fibers[0], {counts, nullptr, nullptr, false}, 0);
        start(fibers[1], {waits, nullptr, nullptr, false}, 0);
        run_queued(left);
        EXPECT_EQ(left.load(), 1u) << "one of them waits for this one";
        resume(waiting);
        run_queued(left);
        EXPECT_EQ(left.load(), 0u);
        for (Fiber* const each : fibers) release(each);
    });
}

TEST(Start, ReleaseOfOneThatWasNeverStarted) {
    in_process(with_carriers(2), [] {
        Fiber* const fiber = reserve();
        ASSERT_NE(fiber, nullptr);
        release(fiber);
        EXPECT_EQ(reserve(), fiber);
    });
}

// A root that ends at once does not come to run the fibers that it has released, and there may be no other carrier to do so.
TEST(Start, WhatIsReleasedServesTheNextRoot) {
    in_process(with_carriers(1), [] {
        static std::atomic<std::uint32_t> left{0};
        ASSERT_TRUE(enter());
        for (int root = 0; root < 100; ++root) {
            std::thread([] {
                ASSERT_TRUE(enter());
                Fiber* const fibers[] = {reserve(), reserve(), reserve()};
                left.store(3);
                for (Fiber* const each : fibers) {
                    start(each, {[](void*) { left.fetch_sub(1); }, nullptr, nullptr, false}, near_caller);
                }
                run_queued(left);
                EXPECT_EQ(left.load(), 0u);
                for (Fiber* const each : fibers) release(each);
                pass_on();
                leave();
            }).join();
        }
        EXPECT_LE(counters().fibers, 12u);
    });
}

TEST(Parking, IdleCarriersSleep) {
    in_process(with_carriers(4), [] {
        TestTeam& team = new_team(16);
        for (int round = 0; round < 10; ++round) team.run(16, [](std::uint32_t) { yield(); });
        // All three workers come to rest; then nothing of the process runs.
        for (int i = 0; i < 2000 && g.idle.counts().sleeping() != 3; ++i) os::sleep_native(5'000'000);
        ASSERT_EQ(g.idle.counts().sleeping(), 3u);
        EXPECT_EQ(g.idle.counts().searching(), 0u);
        os::sleep_native(20'000'000);
        const Counters before = all_counters();
        const std::uint64_t cpu = cpu_time_ns();
        os::sleep_native(300'000'000);
        EXPECT_EQ(all_counters().parks, before.parks);
        // The two looks themselves cost something; a carrier that looked for work would cost a hundred times
        // as much.
        EXPECT_LT(cpu_time_ns() - cpu, 30'000'000u);
        // And they wake again.
        std::atomic<int> sum{0};
        team.run(16, [&](std::uint32_t) {
            sum.fetch_add(1);
            yield();
        });
        EXPECT_EQ(sum.load(), 16);
    });
}

TEST(Parking, NoWakeIsLostBetweenBurstsOfAnyGap) {
    // Regions at distances around the patience, so that they meet carriers in every stage of falling asleep.
    Config config = with_carriers(3);
    config.patience_ns = 20'000;
    in_process(config, [] {
        TestTeam& team = new_team(6);
        std::atomic<std::uint32_t> arrived{0};
        for (std::uint32_t round = 0; round < 1500; ++round) {
            arrived.store(0);
            team.run_with_caller(6, [&](std::uint32_t) {
                if (arrived.fetch_add(1) + 1 == 6) {
                    notify_all(arrived);
                } else {
                    for (std::uint32_t seen; (seen = arrived.load()) < 6;) wait(arrived, seen);
                }
            });
            for (std::uint32_t i = 0; i < round % 97 * 20; ++i) arch::pause();
        }
        EXPECT_GT(all_counters().parks, 0u) << "nothing ever slept: the test shows nothing";
    });
}

TEST(Parking, OnlyWhoHasSpunInVainSleepsAtOnce) {
    Config config = with_carriers(1);
    config.patience_ns = 20'000;
    in_process(config, [] {
        const auto never = [](const void*) { return false; };
        EXPECT_FALSE(spin_until(never, nullptr));
        EXPECT_TRUE(self()->spun_out);
        // Queued work ends the spinning before its time.
        std::atomic<bool> done{false};
        Fiber* const fiber = reserve();
        ASSERT_NE(fiber, nullptr);
        start_now(fiber, {[](void* at) { static_cast<std::atomic<bool>*>(at)->store(true); }, &done, nullptr, false}, 0);
        EXPECT_FALSE(spin_until(never, nullptr));
        EXPECT_FALSE(self()->spun_out);
        while (!done.load()) yield();
    });
}

// How often each kind of looker has come.
std::atomic<int> looks[3];
std::atomic<int>& looks_by(Looker who) { return looks[static_cast<unsigned>(who)]; }

TEST(Idling, ACarrierLooksForTheUpperLayerWhileItIdlesAndBeforeItParks) {
    Config config = with_carriers(2);
    config.patience_ns = 20'000'000;  // enough for that many looks under emulation
    config.look = [](Looker who) { return ++looks_by(who) < 0; };
    in_process(config, [] {
        // The other carrier has nothing to do from the start.
        while (looks_by(Looker::idle_carrier) == 0 || looks_by(Looker::parking_carrier) == 0) os::sleep_native(100'000);
        while (!anybody_sleeps()) os::sleep_native(100'000);
        const int before = looks_by(Looker::idle_carrier);
        while (looks_by(Looker::idle_carrier) == before) spin_until([](const void*) { return false; }, nullptr);
    });
}

}  // namespace
}  // namespace gossamer::fiber
