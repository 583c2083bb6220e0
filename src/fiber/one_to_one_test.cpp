// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Signals that one thread sends to another (docs/decisions/0026-one-to-one.md).
#include <pthread.h>
#include <signal.h>

#include "fiber/process_for_test.hpp"
#include "fiber/ready.hpp"

namespace gossamer::fiber {
namespace {

std::atomic<std::uint32_t> taken{0}, elsewhere{0};
thread_local Fiber* volatile here = nullptr;  // the fiber that runs user code with this identity, or last did
thread_local volatile std::uint32_t taken_here = 0;

void on_signal(int) {
    char frame;
    taken_here = taken_here + 1;
    if (here == nullptr || !here->stack.contains(&frame) || ::pthread_equal(::pthread_self(), here->thread) == 0) ++elsewhere;
    ++taken;
}

void take_signals_here() {
    struct sigaction action = {};
    action.sa_handler = on_signal;
    ASSERT_EQ(::sigaction(SIGUSR1, &action, nullptr), 0);
}

void send(Fiber& fiber) {
    ASSERT_EQ(before_signal(fiber.thread), &fiber);
    ASSERT_EQ(::pthread_kill(fiber.thread, SIGUSR1), 0);
    after_signal(fiber);
}

void await_taken(std::uint32_t count) {
    while (taken.load() < count) os::sleep_native(100'000);
}

Config one_to_one_on(std::uint32_t carriers, std::uint64_t chaos = 0) {
    Config config = with_carriers(carriers, chaos);
    config.one_to_one = true;
    return config;
}

constexpr std::uint32_t width = 4;

// Numbers 1 … width - 1 wait, and number 0 does `act` to them meanwhile.
template <class Act>
void while_others_wait(TestTeam& team, bool apart, const Act& act) {
    std::atomic<Fiber*> waiting[width] = {};
    team.run_with_caller(
        width,
        [&](std::uint32_t number) {
            if (number != 0) {
                here = self();
                waiting[number].store(self());
                suspend();
                return;
            }
            for (std::uint32_t other = 1; other < width; ++other) {
                while (waiting[other].load() == nullptr) yield();
                while (!waiting[other].load()->permit.is_parked()) yield();
            }
            for (std::uint32_t other = 1; other < width; ++other) act(*waiting[other].load());
            for (std::uint32_t other = 1; other < width; ++other) resume(waiting[other].load());
        },
        apart);
}

TEST(OneToOne, AWaitingThreadTakesASignalOnItsOwnStack) {
    for (const std::uint32_t carriers : {1u, 3u}) {
        for (const std::uint64_t chaos : {0u, 7u}) {
            in_process(one_to_one_on(carriers, chaos), [] {
                take_signals_here();
                TestTeam& team = new_team(width);
                for (std::uint32_t round = 0; round < 20; ++round) {
                    const std::uint32_t before = taken.load();
                    std::uint32_t sent = 0;
                    while_others_wait(team, true, [&](Fiber& fiber) {
                        send(fiber);
                        await_taken(before + ++sent);
                    });
                    EXPECT_EQ(taken.load(), before + sent);
                }
                EXPECT_EQ(elsewhere.load(), 0u);
            });
        }
    }
}

// It is made ready while the handler runs.
TEST(OneToOne, AThreadGoesOnWhenItsHandlerIsThrough) {
    in_process(one_to_one_on(1), [] {
        take_signals_here();
        static std::atomic<bool> hold{true}, runs{false};
        struct sigaction action = {};
        action.sa_handler = [](int) {
            runs.store(true);
            while (hold.load()) os::sleep_native(100'000);
            on_signal(0);
        };
        ASSERT_EQ(::sigaction(SIGUSR1, &action, nullptr), 0);
        std::atomic<Fiber*> waiter{nullptr};
        std::uint32_t taken_before_it_went_on = 0;
        new_team(2).run_with_caller(
            2,
            [&](std::uint32_t number) {
                if (number == 1) {
                    here = self();
                    waiter.store(self());
                    suspend();
                    taken_before_it_went_on = taken_here;
                    return;
                }
                while (waiter.load() == nullptr || !waiter.load()->permit.is_parked()) yield();
                send(*waiter.load());
                while (!runs.load()) os::sleep_native(100'000);
                resume(waiter.load());
                os::sleep_native(1'000'000);
                hold.store(false);
            },
            true);
        EXPECT_EQ(taken_before_it_went_on, 1u);
        EXPECT_EQ(elsewhere.load(), 0u);
    });
}

// The thread that wakes it is stopped before it has ordered the native thread.
TEST(OneToOne, AThreadThatIsHalfWokenTakesASignal) {
    in_process(one_to_one_on(1), [] {
        take_signals_here();
        std::atomic<Fiber*> waiter{nullptr};
        new_team(2).run_with_caller(
            2,
            [&](std::uint32_t number) {
                if (number == 1) {
                    here = self();
                    waiter.store(self());
                    suspend();
                    return;
                }
                while (waiter.load() == nullptr || !waiter.load()->permit.is_parked()) yield();
                EXPECT_TRUE(waiter.load()->permit.notify());
                send(*waiter.load());
                await_taken(1);
                make_ready(*waiter.load());
            },
            true);
        EXPECT_EQ(elsewhere.load(), 0u);
    });
}

TEST(OneToOne, AnIdleThreadTakesASignal) {
    in_process(one_to_one_on(1), [] {
        take_signals_here();
        TestTeam& team = new_team(width);
        std::vector<Fiber*> fibers;
        for (std::uint32_t round = 0; round < 20; ++round) {
            fibers.clear();
            while_others_wait(team, true, [&](Fiber& fiber) { fibers.push_back(&fiber); });
            for (Fiber* const fiber : fibers) {
                const std::uint32_t before = taken.load();
                send(*fiber);
                await_taken(before + 1);
            }
        }
        EXPECT_EQ(elsewhere.load(), 0u);
    });
}

// The first signal of a process, to a thread that another native thread has run: it waits until that thread goes on.
TEST(OneToOne, TheFirstSignalComesAtTheEndOfAWait) {
    in_process(with_carriers(1), [] {
        take_signals_here();
        std::atomic<Fiber*> waiter{nullptr};
        std::uint32_t after = 0;
        bool apart = false;
        new_team(2).run_with_caller(2, [&](std::uint32_t number) {
            if (number == 1) {
                here = self();
                waiter.store(self());
                suspend();
                after = taken_here;
                apart = self()->carrier->relief;
                return;
            }
            while (waiter.load() == nullptr) yield();
            EXPECT_FALSE(is_one_to_one());
            send(*waiter.load());
            EXPECT_TRUE(is_one_to_one());
            resume(waiter.load());
        });
        EXPECT_EQ(after, 1u);
        EXPECT_TRUE(apart);
        EXPECT_EQ(elsewhere.load(), 0u);
    });
}

// A mask that a thread sets stays its own, while it waits, and from one piece of work to the next.
TEST(OneToOne, AThreadKeepsItsMask) {
    in_process(one_to_one_on(1), [] {
        take_signals_here();
        std::atomic<Fiber*> waiter{nullptr};
        bool blocked = false;
        new_team(2).run_with_caller(
            2,
            [&](std::uint32_t number) {
                if (number == 1) {
                    here = self();
                    sigset_t one;
                    ::sigemptyset(&one);
                    ::sigaddset(&one, SIGUSR1);
                    ::pthread_sigmask(SIG_BLOCK, &one, nullptr);
                    waiter.store(self());
                    suspend();
                    blocked = taken_here == 0;
                    ::pthread_sigmask(SIG_UNBLOCK, &one, nullptr);
                    EXPECT_EQ(taken_here, 1u);
                    return;
                }
                while (waiter.load() == nullptr || !waiter.load()->permit.is_parked()) yield();
                send(*waiter.load());
                resume(waiter.load());
            },
            true);
        EXPECT_TRUE(blocked);
        EXPECT_EQ(elsewhere.load(), 0u);
    });
}

}  // namespace
}  // namespace gossamer::fiber
