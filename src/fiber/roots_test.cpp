// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Roots that share the carriers, and the homes that workers leave when they make way for them (roots.cpp).
#include <pthread.h>

#include <thread>

#include "fiber/process_for_test.hpp"
#include "fiber/relief.hpp"

namespace gossamer::fiber {
namespace {

// Another root, which is in a region from the constructor to the destructor.
class OtherRoot {
public:
    OtherRoot() : thread_([this] { run(); }) {
        while (!inside_.load()) std::this_thread::yield();
    }
    ~OtherRoot() {
        leaves_.store(true);
        thread_.join();
    }
    OtherRoot(const OtherRoot&) = delete;
    OtherRoot& operator=(const OtherRoot&) = delete;

private:
    void run() {
        ASSERT_TRUE(enter());
        take_part();
        inside_.store(true);
        while (!leaves_.load()) os::sleep_native(50'000);  // never looks for work
        pass_on();
        leave();
    }

    std::atomic<bool> inside_{false}, leaves_{false};
    std::thread thread_;
};

// What the home of carrier 1 is given, again and again.
struct Order {
    Fiber* root = nullptr;  // to be resumed at the end, or null
    bool waits = false;
    std::atomic<Fiber*> waiting{nullptr};
    std::atomic<bool> begun{false}, over{false};
    Fiber* ran = nullptr;
    pthread_t thread{};
    pid_t native = 0;

    static void call(void* argument) {
        Order& order = *static_cast<Order*>(argument);
        order.begun.store(true);
        order.native = os::kernel_thread_id();
        order.thread = ::pthread_self();
        if (order.waits) {
            order.waiting.store(self());
            suspend();
        }
        order.ran = self();
        EXPECT_TRUE(::pthread_equal(order.thread, ::pthread_self()));
        report_served();
        Fiber* const root = order.root;
        order.over.store(true);
        if (root != nullptr) resume(root);
    }

    void give() {
        start(worker_home(1), {call, this, nullptr, false}, 1);
        wake_started(2, 2, false);
    }

    void expect_itself() const {
        EXPECT_EQ(ran, worker_home(1));
        EXPECT_TRUE(::pthread_equal(thread, worker_home(1)->thread));
    }
};

TEST(LeftHomes, RunOnTheRootThatWaits) {
    in_process(with_carriers(2), [] {
        OtherRoot other;
        take_part();
        const pid_t here = os::kernel_thread_id();
        // Once the worker has made way, no publisher wakes it.
        for (int on_root = 0; on_root < 100;) {
            Order order;
            order.root = self();
            order.give();
            suspend();
            order.expect_itself();
            on_root += order.native == here ? 1 : 0;
        }
        pass_on();
    });
}

TEST(LeftHomes, AreSentForWhenTheRootDoesNotCome) {
    in_process(with_carriers(2), [] {
        OtherRoot other;
        take_part();
        for (int round = 0; round < 200; ++round) {
            Order order;
            order.give();
            while (!order.over.load()) std::this_thread::yield();  // not by a word to the scheduler
            order.expect_itself();
            EXPECT_NE(order.native, os::kernel_thread_id());
        }
        pass_on();
    });
}

TEST(LeftHomes, WaitInTheMiddleAndGoOnAsThemselves) {
    in_each_shape([] {
        if (carrier_count() < 2) return;
        for (int others = 1; others < 4; ++others) {
            std::vector<std::unique_ptr<OtherRoot>> roots;
            for (int i = 0; i < others; ++i) roots.push_back(std::make_unique<OtherRoot>());
            take_part();
            for (int round = 0; round < 30; ++round) {
                Order order;
                order.root = self();
                order.waits = true;
                order.give();
                while (order.waiting.load() == nullptr) {
                    if (!yield()) std::this_thread::yield();
                }
                // By a root, or by a plain thread that is no carrier.
                if (round % 4 == 0) {
                    std::thread([&] { resume(order.waiting.load()); }).join();
                } else {
                    resume(order.waiting.load());
                }
                suspend();
                order.expect_itself();
            }
            pass_on();
        }
    });
}

// By a root, which suspends until the home has run the order.
void order_and_wait() {
    Order order;
    order.root = self();
    order.give();
    suspend();
    order.expect_itself();
}

TEST(LeftHomes, AreAtHomeAgainWithOneRoot) {
    in_process(with_carriers(2), [] {
        for (int round = 0; round < 10; ++round) {
            {
                OtherRoot other;
                take_part();
                for (int i = 0; i < 20; ++i) {
                    order_and_wait();
                }
                pass_on();
            }
            // The last of the others has gone: the home is called to its own native thread.
            for (int i = 0; i < 20; ++i) {
                Order order;
                order.give();
                while (!order.over.load()) std::this_thread::yield();
                EXPECT_NE(order.native, os::kernel_thread_id());
                order.expect_itself();
            }
            EXPECT_TRUE(close_down(nullptr));
            ASSERT_TRUE(enter());
        }
    });
}

TEST(LeftHomes, NoneIsForgottenWhenTheOthersComeAndGo) {
    in_each_shape([] {
        if (carrier_count() < 2) return;
        std::atomic<bool> over{false};
        std::vector<std::thread> others;
        for (int i = 0; i < 2; ++i) {
            others.emplace_back([&] {
                ASSERT_TRUE(enter());
                while (!over.load()) {
                    take_part();
                    for (int pause = 0; pause < 50; ++pause) arch::pause();
                    pass_on();
                    yield();
                }
                leave();
            });
        }
        for (int round = 0; round < 500; ++round) {
            take_part();
            order_and_wait();
            pass_on();
        }
        over.store(true);
        for (std::thread& each : others) each.join();
    });
}

TEST(Roots, ManyNativeThreadsShareTheCarriers) {
    in_each_shape([] {
        constexpr int roots = 6;
        std::atomic<int> sum{0};
        std::vector<TestTeam*> teams;
        for (int i = 0; i < roots; ++i) teams.push_back(&new_team(8));
        for (int generation = 0; generation < 3; ++generation) {
            std::vector<std::thread> threads;
            for (int i = 0; i < roots; ++i) {
                threads.emplace_back([&, i] {
                    ASSERT_TRUE(enter());
                    for (int round = 0; round < 10; ++round) {
                        take_part();
                        teams[i]->run_with_caller(8, [&](std::uint32_t) {
                            scheduling_point();
                            yield();
                            sum.fetch_add(1);
                        });
                        pass_on();
                    }
                    leave();
                });
            }
            for (std::thread& each : threads) each.join();
        }
        EXPECT_EQ(sum.load(), 3 * roots * 10 * 8);
        // Slots are used again: no more than one for each root that lived at a time, but for those that
        // relief has opened.
        std::uint32_t slots = 0;
        SpinGuard guard(g.lock, os::yield_native);  // the monitor may still open one
        for (std::uint32_t i = 0; i < g.slots.load(); ++i) slots += g.carriers[i].load()->duty.lender == nullptr ? 1 : 0;
        EXPECT_LE(slots, carrier_count() + roots);
    });
}

// A second root, which computes between its regions until it lingers there; then does `what`, and ends.
template <class What>
void with_lingering(const What& what) {
    in_process(with_carriers(2), [&] {
        std::thread second([&] {
            ASSERT_TRUE(enter());
            const Carrier& carrier = *self()->carrier;
            while (carrier.presence.gap() == 0) {
                take_part();
                pass_on();
                for (const std::uint64_t end = os::now_ns() + 500'000; os::now_ns() < end;) arch::pause();
            }
            EXPECT_EQ(g.inside.load(), 1u);
            what(carrier);
            leave();
        });
        second.join();
        EXPECT_EQ(g.inside.load(), 0u);
        EXPECT_TRUE(close_down(nullptr));
    });
}

TEST(Lingering, EndsWithTheRoot) {
    with_lingering([](const Carrier&) {});
}

TEST(Lingering, ComesBackAsIfItHadNotLeft) {
    with_lingering([](const Carrier& carrier) {
        take_part();
        EXPECT_EQ(g.inside.load(), 1u);
        EXPECT_TRUE(carrier.presence.inside());
        pass_on();
    });
}

TEST(Lingering, IsLetGoWhereTheRootSleeps) {
    with_lingering([](const Carrier& carrier) {
        while (carrier.presence.gap() != 0) {
            std::atomic_thread_fence(std::memory_order_seq_cst);
            note_work();  // the monitor looks as long as there is something to do
            os::sleep_native(20'000'000);
        }
        EXPECT_EQ(g.inside.load(), 0u);
        // And next time it does not begin to linger again at once.
        take_part();
        EXPECT_EQ(g.inside.load(), 1u);
        pass_on();
        EXPECT_EQ(carrier.presence.gap(), 0u);
        EXPECT_EQ(g.inside.load(), 0u);
    });
}

TEST(Roots, WhatOneLeavesBehindIsFound) {
    // A fiber of the first root's last ran on the second root's carrier, which has left its region by then.
    in_process(with_carriers(1), [] {
        std::atomic<int> stage{0};
        std::atomic<Fiber*> waiting{nullptr};
        TestTeam& team = new_team(2);
        std::thread second([&] {
            ASSERT_TRUE(enter());
            while (stage.load() < 1) std::this_thread::yield();
            // Takes number 1 off the first root's deque, and comes back when that suspends.
            while (waiting.load() == nullptr) yield();
            pass_on();
            resume(waiting.load());  // to the queue of this carrier, which serves it no more
            stage.store(2);
            while (stage.load() < 3) std::this_thread::yield();
            leave();
        });
        bool passed = false;
        team.run_with_caller(2, [&](std::uint32_t number) {
            if (number == 1) {
                waiting.store(self());
                suspend();
                passed = true;
            } else {
                stage.store(1);
                while (stage.load() < 2) std::this_thread::yield();  // holds its carrier meanwhile
            }
        });
        EXPECT_TRUE(passed);
        stage.store(3);
        second.join();
    });
}

}  // namespace
}  // namespace gossamer::fiber
