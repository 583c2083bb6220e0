// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fiber/wait.hpp"

#include <thread>

#include "fiber/process_for_test.hpp"

namespace gossamer::fiber {
namespace {

// Passed round by fibers and by plain threads: the one whose turn it is goes on, all others wait on the one word.
void take_turns(std::atomic<std::uint32_t>& turn, std::uint32_t me, std::uint32_t all, std::uint32_t rounds) {
    for (std::uint32_t round = 0; round < rounds; ++round) {
        for (std::uint32_t seen; (seen = turn.load()) % all != me;) wait_while(turn, seen);
        turn.fetch_add(1);
        notify_all(turn);
    }
}

TEST(Wait, FibersAndPlainThreadsOnOneWord) {
    in_each_shape([] {
        constexpr std::uint32_t fibers = 6, outsiders = 2, rounds = 15;
        std::atomic<std::uint32_t> turn{0};
        std::vector<std::thread> threads;
        for (std::uint32_t i = 0; i < outsiders; ++i) {
            threads.emplace_back([&turn, i] {
                take_turns(turn, fibers + i, fibers + outsiders, rounds);
                leave();
            });
        }
        TestTeam& team = new_team(fibers);
        team.run_with_caller(fibers, [&](std::uint32_t n) { take_turns(turn, n, fibers + outsiders, rounds); });
        for (std::thread& each : threads) each.join();
        EXPECT_EQ(turn.load(), (fibers + outsiders) * rounds);
    });
}

TEST(Wait, AWordChangesWithTheQueue) {
    in_each_shape([] {
        constexpr std::uint32_t waiters = 4;
        struct Seen {
            std::atomic<std::uint32_t> word{0};
            bool found = false, left = false;
            static void change(void* at, bool found, bool left) {
                Seen& seen = *static_cast<Seen*>(at);
                seen.word.fetch_add(found ? 1 : 0);
                seen.found = found;
                seen.left = left;
            }
        } seen;
        notify_one_with(&seen.word, Seen::change, &seen);
        EXPECT_FALSE(seen.found || seen.left);
        TestTeam& team = new_team(waiters + 1);
        std::atomic<std::uint32_t> asleep{0};
        team.run_with_caller(waiters + 1, [&](std::uint32_t number) {
            if (number != 0) {
                const auto counted = [](void* at) {
                    static_cast<std::atomic<std::uint32_t>*>(at)->fetch_add(1);
                    return false;
                };
                wait_until(&seen.word, counted, &asleep);
                return;
            }
            while (asleep.load() < waiters) yield();
            for (std::uint32_t woken = 1; woken <= waiters; ++woken) {
                notify_one_with(&seen.word, Seen::change, &seen);
                EXPECT_TRUE(seen.found);
                EXPECT_EQ(seen.left, woken != waiters);
                EXPECT_EQ(seen.word.load(), woken);
            }
        });
    });
}

TEST(Wait, ReturnsAtOnceWhenTheWordDiffers) {
    in_process(with_carriers(1), [] {
        std::atomic<std::uint32_t> word{3};
        wait(word, 4);
        EXPECT_EQ(wait_while(word, 2), 3u);
    });
}

TEST(Wait, ManyAddressesShareTheBuckets) {
    // More words than buckets: a notify must leave alone those that only lie in the same bucket.
    in_each_shape([] {
        constexpr std::uint32_t words = 600, size = 30;
        std::vector<std::atomic<std::uint32_t>> word(words);
        TestTeam& team = new_team(size);
        std::atomic<std::uint32_t> seen_early{0};
        team.run_with_caller(size, [&](std::uint32_t number) {
            for (std::uint32_t i = number; i < words; i += size) {
                // The neighbour to the left sets it, in its own time; number 0 begins each row.
                const std::uint32_t before = i == 0 ? 0 : i - 1;
                if (i != 0 && wait_while(word[before], 0) != 1) seen_early.fetch_add(1);
                word[i].store(1);
                notify_all(word[i]);
            }
        });
        EXPECT_EQ(seen_early.load(), 0u);
        for (auto& each : word) EXPECT_EQ(each.load(), 1u);
    });
}

TEST(Wait, ConditionsOfAnyKind) {
    in_each_shape([] {
        constexpr std::uint32_t size = 10;
        struct Wide {
            std::atomic<std::uint64_t> value{0};
        } wide;
        TestTeam& team = new_team(size);
        team.run_with_caller(size, [&](std::uint32_t number) {
            struct Look {
                Wide& wide;
                std::uint64_t wanted;
            } look{wide, std::uint64_t{number} << 40};
            const auto ready = [](void* argument) {
                const Look& at = *static_cast<Look*>(argument);
                return at.wide.value.load(std::memory_order_relaxed) >= at.wanted;
            };
            while (!ready(&look)) wait_until(&wide, ready, &look);
            wide.value.store(std::uint64_t{number + 1} << 40, std::memory_order_relaxed);
            notify_all_at(&wide);
        });
        EXPECT_EQ(wide.value.load(), std::uint64_t{size} << 40);
    });
}

TEST(Wait, PlainThreadsAlone) {
    // Without any carrier: the parking lot serves a process that has not entered a region yet.
    std::fflush(nullptr);
    std::atomic<std::uint32_t> turn{0};
    std::vector<std::thread> threads;
    for (std::uint32_t i = 0; i < 3; ++i) {
        threads.emplace_back([&turn, i] {
            take_turns(turn, i, 3, 200);
            leave();
        });
    }
    for (std::thread& each : threads) each.join();
    EXPECT_EQ(turn.load(), 600u);
}

TEST(WaitSlot, OneFlagManySlots) {
    // The team's barrier in miniature: one flag, a slot for each waiter, the last one in wakes them.
    in_each_shape([] {
        constexpr std::uint32_t size = 7, rounds = 60;
        std::atomic<std::uint32_t> arrived{0}, generation{0}, sleepers{0};
        std::vector<WaitSlot> slots(size);
        TestTeam& team = new_team(size);
        std::atomic<std::uint32_t> wrong{0};
        std::vector<std::atomic<std::uint32_t>> stage(size);
        team.run_with_caller(size, [&](std::uint32_t number) {
            for (std::uint32_t round = 0; round < rounds; ++round) {
                stage[number].store(round + 1, std::memory_order_relaxed);
                if (arrived.fetch_add(1, std::memory_order_acq_rel) + 1 == size) {
                    arrived.store(0, std::memory_order_relaxed);
                    generation.store(round + 1);
                    for (WaitSlot& slot : slots) {
                        if (sleepers.load() == 0) break;
                        wake_slot(slot, sleepers);
                    }
                } else {
                    wait_slot(slots[number], sleepers, [&] { return generation.load() > round; });
                }
                for (auto& each : stage) {
                    if (each.load(std::memory_order_relaxed) <= round) wrong.fetch_add(1);
                }
            }
        });
        EXPECT_EQ(wrong.load(), 0u);
        EXPECT_EQ(sleepers.load(), 0u);
    });
}

}  // namespace
}  // namespace gossamer::fiber
