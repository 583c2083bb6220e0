// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What libc and the compiler keep for a thread follows a fiber through suspends and from carrier to carrier.
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>

#include <array>
#include <cerrno>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>

#include "fiber/ids.hpp"
#include "fiber/process_for_test.hpp"

namespace gossamer::fiber {
namespace {

thread_local std::uint32_t t_number = 0;
thread_local std::string t_text = "as it begins";

// Not inlined, so that no compiler keeps an address of thread-local storage for the caller.
GOSSAMER_NOINLINE std::uint32_t& number_here() { return t_number; }
GOSSAMER_NOINLINE std::string& text_here() { return t_text; }

std::vector<Config> both_ways_to_switch() {
    std::vector<Config> all;
    for (Config each : shapes()) {
        all.push_back(each);
        each.kernel_sets_thread_pointer = true;
        all.push_back(each);
    }
    return all;
}

void with_both_ways(const std::function<void()>& body) {
    for (const Config& each : both_ways_to_switch()) {
        SCOPED_TRACE(::testing::Message() << each.carriers << " carriers, chaos " << each.chaos << ", by kernel "
                                          << each.kernel_sets_thread_pointer);
        in_process(each, body);
    }
}

// Suspends until all have come, so that every number has a fiber of its own and many go on elsewhere.
void meet(std::atomic<std::uint32_t>& arrived, std::uint32_t all) {
    scheduling_point();
    if (arrived.fetch_add(1) + 1 == all) {
        notify_all(arrived);
        return;
    }
    for (std::uint32_t seen; (seen = arrived.load()) < all;) wait(arrived, seen);
}

TEST(Identity, WhatAThreadHasIsItsOwnAndStays) {
    with_both_ways([] {
        constexpr std::uint32_t size = 16, rounds = 8;
        pthread_key_t key;
        ASSERT_EQ(::pthread_key_create(&key, nullptr), 0);
        std::atomic<std::uint32_t> arrived[rounds] = {};
        std::vector<pthread_t> threads(size);
        std::vector<void*> addresses(size);
        TestTeam& team = new_team(size);
        team.run_with_caller(size, [&](std::uint32_t number) {
            number_here() = number + 100;
            text_here() = "number " + std::to_string(number) + " with a text too long for its own object";
            errno = static_cast<int>(number) + 1;
            ::pthread_setspecific(key, &threads[number]);
            threads[number] = ::pthread_self();
            addresses[number] = &number_here();
            void* const volatile errno_at = &errno;
            for (auto& each : arrived) {
                meet(each, size);
                EXPECT_EQ(errno, static_cast<int>(number) + 1);
                EXPECT_EQ(static_cast<void*>(&errno), errno_at);
                EXPECT_EQ(number_here(), number + 100);
                EXPECT_EQ(&number_here(), addresses[number]);
                EXPECT_TRUE(::pthread_equal(::pthread_self(), threads[number]));
                EXPECT_EQ(::pthread_getspecific(key), &threads[number]);
                EXPECT_NE(text_here().find(std::to_string(number)), std::string::npos);
                errno = static_cast<int>(number) + 1;
            }
        });
        EXPECT_EQ(std::set<pthread_t>(threads.begin(), threads.end()).size(), size);
        EXPECT_EQ(std::set<void*>(addresses.begin(), addresses.end()).size(), size);
    });
}

GOSSAMER_NOINLINE Fiber* self_by_descriptor() { return t_self; }

TEST(Identity, TheDistanceOfSelfHoldsForEveryThread) {
    with_both_ways([] {
        constexpr std::uint32_t size = 8;
        std::atomic<std::uint32_t> arrived[3] = {};
        TestTeam& team = new_team(size);
        team.run_with_caller(size, [&](std::uint32_t number) {
            for (auto& each : arrived) {
                meet(each, size);
                EXPECT_EQ(known_self(), self_by_descriptor());
            }
            if (number != 0) return;
            std::thread([] {
                EXPECT_EQ(known_self(), nullptr);
                Fiber* const adopted = self();
                EXPECT_EQ(known_self(), adopted);
                EXPECT_EQ(self_by_descriptor(), adopted);
                leave();
                EXPECT_EQ(known_self(), nullptr);
            }).join();
        });
        // A program's own storage is static.
        const auto distance = reinterpret_cast<char*>(&t_self) - static_cast<char*>(arch::thread_pointer());
        EXPECT_EQ(self_at.load(), distance < 0 ? distance : 0);
    });
}

TEST(Identity, TheStackThatLibcTellsHoldsTheFrame) {
    with_both_ways([] {
        constexpr std::uint32_t size = 12;
        std::atomic<std::uint32_t> arrived{0}, again{0};
        TestTeam& team = new_team(size);
        team.run_with_caller(size, [&](std::uint32_t) {
            for (auto* each : {&arrived, &again}) {
                os::Stack told;
                ASSERT_EQ(os::own_stack(told), 0);
                EXPECT_TRUE(told.contains(__builtin_frame_address(0)));
                if (self()->kind == Kind::full) {
                    EXPECT_GE(told.size, config().stack_size);
                }
                meet(*each, size);
            }
        });
    });
}

GOSSAMER_NOINLINE void throw_after(std::uint32_t depth, std::atomic<std::uint32_t>& arrived, std::uint32_t all,
                                   std::uint32_t number) {
    struct Unwound {
        std::uint32_t& count;
        ~Unwound() { ++count; }
    } unwound{number_here()};
    if (depth != 0) return throw_after(depth - 1, arrived, all, number);
    meet(arrived, all);
    throw std::runtime_error(std::to_string(number));
}

TEST(Identity, ExceptionsCrossFramesThatHaveWaited) {
    with_both_ways([] {
        constexpr std::uint32_t size = 10;
        std::atomic<std::uint32_t> arrived{0}, inside{0};
        TestTeam& team = new_team(size);
        team.run_with_caller(size, [&](std::uint32_t number) {
            number_here() = 0;
            try {
                throw_after(5, arrived, size, number);
                ADD_FAILURE() << "nothing was thrown";
            } catch (const std::runtime_error& caught) {
                meet(inside, size);  // each fiber has its own exception in flight
                EXPECT_EQ(caught.what(), std::to_string(number));
                try {
                    throw;
                } catch (const std::exception& again) {
                    EXPECT_EQ(again.what(), std::to_string(number));
                }
            }
            EXPECT_EQ(number_here(), 6u);
            EXPECT_EQ(std::uncaught_exceptions(), 0);
        });
    });
}

TEST(Identity, AReservedFiberKeepsItFromStartToStart) {
    with_both_ways([] {
        struct Job {
            std::atomic<std::uint32_t>* left;
            std::uint32_t round;
            bool kept;
            static void call(void* argument) {
                Job& me = *static_cast<Job*>(argument);
                me.kept = number_here() == me.round;
                scheduling_point();
                number_here() = me.round + 1;
                std::atomic<std::uint32_t>& left = *me.left;
                left.fetch_sub(1);
                notify_all(left);
            }
        };
        constexpr std::uint32_t size = 6;
        std::vector<Fiber*> crew(size);
        for (Fiber*& each : crew) each = reserve();
        std::vector<Job> jobs(size);
        std::atomic<std::uint32_t> left;
        for (std::uint32_t round = 0; round < 30; ++round) {
            left.store(size);
            bool queued = false;
            for (std::uint32_t i = 0; i < size; ++i) {
                jobs[i] = {&left, round, false};
                queued |= start(crew[i], {Job::call, &jobs[i], nullptr, false}, (i + round) % carrier_count());
            }
            wake_started(0, carrier_count(), queued);
            for (std::uint32_t seen; (seen = left.load()) != 0;) wait_while(left, seen);
            for (const Job& job : jobs) EXPECT_TRUE(job.kept) << "round " << round;
        }
    });
}

TEST(Identity, TheCpuIsOneOfThoseWeMayUse) {
    in_process(with_carriers(3), [] {
        constexpr std::uint32_t size = 12;
        cpu_set_t allowed;
        ASSERT_EQ(::sched_getaffinity(0, sizeof allowed, &allowed), 0);
        std::atomic<std::uint32_t> arrived{0};
        TestTeam& team = new_team(size);
        team.run_with_caller(size, [&](std::uint32_t) {
            meet(arrived, size);
            const int cpu = ::sched_getcpu();
            EXPECT_GE(cpu, 0);
            EXPECT_TRUE(CPU_ISSET(cpu, &allowed)) << cpu;
        });
    });
}

TEST(Identity, SmallNumbersDifferAndComeBack) {
    in_process(with_carriers(2), [] {
        constexpr std::uint32_t size = 20;
        TestTeam& team = new_team(size);
        for (int round = 0; round < 5; ++round) {
            std::vector<std::uint32_t> ids(size);
            std::atomic<std::uint32_t> arrived{0};
            team.run_with_caller(size, [&](std::uint32_t number) {
                ids[number] = self()->id;
                meet(arrived, size);
                EXPECT_EQ(self()->id, ids[number]);
            });
            EXPECT_EQ(std::set<std::uint32_t>(ids.begin(), ids.end()).size(), size);
            for (std::uint32_t id : ids) EXPECT_LT(id, 3 * size);
        }
        const std::uint32_t mine = take_id();
        give_id(mine);
        EXPECT_EQ(take_id(), mine);
    });
}

thread_local std::array<char, 96u << 10> large;

TEST(Identity, ThreadLocalStorageTakesNothingOfTheStack) {
    for (const std::size_t stack_size : {64u << 10, 100u << 10, 128u << 10, 512u << 10}) {
        Config asked = with_carriers(1);
        asked.stack_size = stack_size;
        in_process(asked, [] {
            constexpr std::uint32_t size = 6;
            std::atomic<std::uint32_t> arrived{0};
            new_team(size).run(size, [&](std::uint32_t number) {
                large.fill(static_cast<char>(number));
                meet(arrived, size);
                if (self()->kind != Kind::full) return;
                const auto left = static_cast<char*>(arch::stack_pointer()) - static_cast<char*>(self()->stack.low);
                EXPECT_GE(static_cast<std::size_t>(left) + (20u << 10), config().stack_size);
            });
        });
    }
}

TEST(Identity, ThreadLocalStorageLargerThanTheStack) {
    // libc puts it on the stack, and refuses a stack that has no room for it.
    Config config = with_carriers(2);
    config.stack_size = 32u << 10;
    in_process(config, [] {
        constexpr std::uint32_t size = 6;
        std::atomic<std::uint32_t> arrived{0};
        EXPECT_EQ(carrier_count(), 2u);
        new_team(size).run(size, [&](std::uint32_t number) {
            EXPECT_EQ(self()->kind, Kind::full);
            large.fill(static_cast<char>(number));
            meet(arrived, size);
            for (char each : large) ASSERT_EQ(each, static_cast<char>(number));
        });
    });
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
GOSSAMER_NOINLINE std::uint32_t run_over(std::uint32_t depth) {
    volatile char frame[512];
    frame[depth % sizeof frame] = 1;
    return depth == 0 ? 0 : run_over(depth - 1) + static_cast<std::uint32_t>(frame[depth % sizeof frame]);
}

TEST(Identity, AStackThatRunsOverHitsItsGuard) {
    // In a fiber on each kind of stack: the process must end at the guard and not write into a neighbour's
    // stack.
    for (bool light : {false, true}) {
        std::fflush(nullptr);
        const pid_t child = ::fork();
        ASSERT_GE(child, 0);
        if (child == 0) {
            const rlimit none{0, 0};
            ::setrlimit(RLIMIT_CORE, &none);
            ::alarm(60);
            configure(with_carriers(1));
            on_overflow([](void*, std::size_t size, std::size_t) {
                const char said[] = "ran over\n";
                if (size >= config().stack_size && ::write(STDERR_FILENO, said, sizeof said - 1) < 0) ::_exit(2);
            });
            if (!enter()) ::_exit(3);
            if (light) os::inject_failures(os::Failure::thread, 1, os::all_further);
            new_team(2).run(2, [](std::uint32_t) { run_over(1u << 20); });
            ::_exit(4);
        }
        int status = 0;
        ASSERT_EQ(::waitpid(child, &status, 0), child);
        EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV) << "light " << light << ", status " << status;
    }
}
#endif

}  // namespace
}  // namespace gossamer::fiber
