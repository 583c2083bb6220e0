// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The fibers, stacks and carriers that remain when the system refuses: light fibers, smaller stacks, fewer carriers.
#include <chrono>
#include <thread>

#include "fiber/home.hpp"
#include "fiber/last_stacks.hpp"
#include "fiber/process_for_test.hpp"
#include "fiber/ready.hpp"
#include "fiber/relief.hpp"

namespace gossamer::fiber {
namespace {

void meet(std::atomic<std::uint32_t>& arrived, std::uint32_t all) {
    scheduling_point();
    if (arrived.fetch_add(1) + 1 == all) {
        notify_all(arrived);
        return;
    }
    for (std::uint32_t seen; (seen = arrived.load()) < all;) wait(arrived, seen);
}

TEST(Fallback, LightFibersWhenNoMoreThreadsAreGranted) {
    in_each_shape([] {
        constexpr std::uint32_t size = 12;
        os::inject_failures(os::Failure::thread, 1, os::all_further);
        TestTeam& team = new_team(size);
        for (int round = 0; round < 10; ++round) {
            std::atomic<std::uint32_t> arrived[3] = {};
            std::atomic<std::uint32_t> moved{0}, lights{0};
            team.run_with_caller(size, [&](std::uint32_t) {
                Fiber* const me = self();
                const Carrier* const carrier = me->carrier;
                if (me->kind == Kind::light) lights.fetch_add(1);
                for (auto& each : arrived) {
                    meet(each, size);
                    EXPECT_EQ(self(), me);
                    if (me->kind == Kind::light && me->carrier != carrier) moved.fetch_add(1);
                    resume(self());  // and also the early resume
                    yield();
                    suspend();
                }
            });
            // All but the caller wait at once, so each needs a stack, and no identity was to be had.
            EXPECT_EQ(lights.load(), size - 1);
            EXPECT_EQ(moved.load(), 0u) << "a light fiber lives on one native thread's variables";
        }
    });
}

TEST(Fallback, LightOnesThatYieldStarveNobody) {
    in_each_shape([] {
        constexpr std::uint32_t size = 9;
        os::inject_failures(os::Failure::thread, 3, os::all_further);  // two full ones among them
        std::atomic<std::uint32_t> arrived{0};
        TestTeam& team = new_team(size);
        team.run_with_caller(size, [&](std::uint32_t) {
            arrived.fetch_add(1);
            while (arrived.load() < size) yield();
        });
        EXPECT_EQ(arrived.load(), size);
    });
}

TEST(Fallback, ReservedLightFibersAreStartedAgainAndAgain) {
    in_each_shape([] {
        struct Job {
            std::atomic<std::uint32_t>* left;
            std::atomic<int> ran{0};
            static void call(void* argument) {
                Job& me = *static_cast<Job*>(argument);
                yield();
                me.ran.fetch_add(1);
                std::atomic<std::uint32_t>& left = *me.left;
                left.fetch_sub(1);
                notify_all(left);
            }
        };
        os::inject_failures(os::Failure::thread, 1, os::all_further);
        constexpr std::uint32_t size = 7;
        std::atomic<std::uint32_t> left{0};
        const auto use = [&] {
            std::vector<Fiber*> crew(size);
            for (Fiber*& each : crew) each = reserve();
            std::vector<Job> jobs(size);
            for (int round = 0; round < 20; ++round) {
                left.store(size);
                bool queued = false;
                for (std::uint32_t i = 0; i < size; ++i) {
                    jobs[i].left = &left;
                    queued |= start(crew[i], {Job::call, &jobs[i], nullptr, false}, (i + 1) % carrier_count());
                }
                wake_started(0, size + 1, queued);
                for (std::uint32_t seen; (seen = left.load()) != 0;) wait_while(left, seen);
                pass_on();
            }
            for (Job& job : jobs) EXPECT_EQ(job.ran.load(), 20);
            for (Fiber* each : crew) release(each);
        };
        use();
        // Another root, while the first one is in no region: nothing of it may be left to that one's carrier.
        std::thread second([&] {
            ASSERT_TRUE(enter());
            use();
            leave();
        });
        second.join();
    });
}

TEST(Fallback, ALightFiberWaitsForAHomeThatIsElsewhere) {
    in_process(with_carriers(1), [] {
        std::atomic<bool> back{false};
        std::atomic<std::uint32_t> told{0};
        std::thread elsewhere;
        TestTeam& inner = new_team(2);
        new_team(1).run(1, [&](std::uint32_t) {
            EXPECT_EQ(self()->kind, Kind::full);
            Carrier& carrier = *self()->carrier;
            // No other full one is left.
            os::inject_failures(os::Failure::thread, 1, os::all_further);
            carrier.spares.first = nullptr;
            carrier.spares.count = 0;
            Fiber* light = reserve();
            while (light->kind == Kind::full) light = reserve();
            release(light);
            elsewhere = std::thread([&] {
                std::this_thread::sleep_for(std::chrono::milliseconds(20));
                back.store(true);
                carrier.home_place.leave();
                call_home(carrier);
                note_work();
            });
            ASSERT_TRUE(carrier.home_place.take());  // as for something that is relieved
            inner.run_with_caller(2, [&](std::uint32_t number) {
                if (number == 0) {
                    while (told.load() == 0) wait(told, 0);
                    return;
                }
                // On a busy machine the monitor may have had a full one in its hands.
                if (self()->kind == Kind::light) {
                    EXPECT_TRUE(back.load()) << "it runs by that home's thread pointer";
                    EXPECT_FALSE(take_home(*self()->carrier)) << "while there are light fibers homes stay";
                }
                told.store(1);
                notify_all(told);
            });
        });
        elsewhere.join();
    });
}

TEST(Fallback, ARootStaysForTheLightFibersOnItsCarrier) {
    in_process(with_carriers(1), [] {
        std::atomic<int> stage{0};
        std::atomic<Fiber*> waiting{nullptr};
        std::atomic<bool> passed{false}, left_before{false};
        TestTeam& team = new_team(2);
        std::thread second([&] {
            os::inject_failures(os::Failure::thread, 1, os::all_further);
            ASSERT_TRUE(enter());
            while (stage.load() < 1) std::this_thread::yield();
            while (waiting.load() == nullptr) yield();  // takes number 1, which suspends here as a light fiber
            stage.store(2);
            pass_on();
            left_before.store(!passed.load());
            leave();
        });
        team.run_with_caller(2, [&](std::uint32_t number) {
            if (number == 1) {
                EXPECT_EQ(self()->kind, Kind::light);
                waiting.store(self());
                suspend();
                passed.store(true);
            } else {
                stage.store(1);
                while (stage.load() < 2) std::this_thread::yield();
                resume(waiting.load());
            }
        });
        second.join();
        EXPECT_TRUE(passed.load());
        EXPECT_FALSE(left_before.load());
    });
}

TEST(Fallback, SmallStacksWhenMemoryIsShort) {
    in_process(with_carriers(1), [] {
        // The size of the configuration is refused before a smaller one is granted.
        os::inject_failures(os::Failure::memory, 1, 1);
        Fiber* const fiber = reserve();
        ASSERT_NE(fiber, nullptr);
        const std::size_t above = os::signal_reserve() + os::alternate_stack_size() + g.stack_extra.load();
        EXPECT_LT(fiber->stack.size, config().stack_size + above);
        os::inject_failures(os::Failure::memory, 0, 0);
        static std::atomic<bool> ran{false};
        start(fiber, {[](void*) { ran.store(true); }, nullptr, nullptr, false}, 0);
        while (!ran.load()) yield();
        release(fiber);
    });
}

TEST(Fallback, NoMemoryAtAllIsTold) {
    in_process(with_carriers(1), [] {
        os::inject_failures(os::Failure::memory, 1, os::all_further);
        EXPECT_EQ(reserve(), nullptr);
        os::inject_failures(os::Failure::memory, 0, 0);
        Fiber* const fiber = reserve();
        ASSERT_NE(fiber, nullptr);
        EXPECT_EQ(fiber->kind, Kind::full) << "what was refused once may be granted later";
    });
}

TEST(Fallback, ATeamThatHasBegunFindsStacksToWaitOn) {
    in_process(with_carriers(2), [] {
        constexpr std::uint32_t width = 20;
        os::inject_failures(os::Failure::memory, 1, os::all_further);
        std::atomic<std::uint32_t> arrived{0};
        new_team(width).run_with_caller(width, [&](std::uint32_t) {
            for (std::uint32_t round = 1; round <= 3; ++round) {
                if (arrived.fetch_add(1) + 1 == round * width) {
                    notify_all(arrived);
                } else {
                    for (std::uint32_t seen; (seen = arrived.load()) < round * width;) wait(arrived, seen);
                }
            }
        });
        EXPECT_EQ(arrived.load(), 3 * width);
        EXPECT_TRUE(stacks_ran_out.load());
    });
}

TEST(Fallback, AForkedChildKnowsNothingOfItsParentsShortage) {
    in_process(with_carriers(1), [] {
        LastStack last;
        ASSERT_TRUE(take_last_stack(last));
        EXPECT_TRUE(stacks_ran_out.load());
        const pid_t child = ::fork();
        ASSERT_GE(child, 0);
        if (child == 0) {
            forked_child();
            LastStack first;
            const bool anew = !stacks_ran_out.load() && take_last_stack(first) && first.fiber == last.fiber;
            ::_exit(anew && self()->own == nullptr ? 0 : 1);
        }
        int status = 0;
        ASSERT_EQ(::waitpid(child, &status, 0), child);
        EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
    });
}

TEST(Fallback, FewerCarriers) {
    std::fflush(nullptr);
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        ::alarm(60);
        configure(with_carriers(6));
        os::inject_failures(os::Failure::thread, 3, os::all_further);  // two of five workers
        bool good = enter() && carrier_count() == 3;
        std::atomic<int> ran{0};
        new_team(10).run(10, [&](std::uint32_t) {
            yield();
            ran.fetch_add(1);
        });
        ::_exit(good && ran.load() == 10 ? 0 : 1);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

}  // namespace
}  // namespace gossamer::fiber
