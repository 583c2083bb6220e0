// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Orders to homes whose native threads sleep (late.cpp).
#include <pthread.h>

#include <thread>

#include "fiber/process_for_test.hpp"

namespace gossamer::fiber {
namespace {

Carrier& worker() { return carrier_at(1); }

void await_sleep() {
    while (!g.idle.still_asleep(1)) os::sleep_native(50'000);
}

// An order to the home of carrier 1, whose native thread sleeps.
struct Order {
    Fiber* root = nullptr;  // to be resumed at the end, or null
    bool waits = false;
    std::atomic<Fiber*> waiting{nullptr};
    std::atomic<bool> over{false};
    bool slept = false;  // The worker did when the order was given. Else it was about to look once more, or was just woken.
    pid_t native = 0;    // that it began on

    static void call(void* argument) {
        Order& order = *static_cast<Order*>(argument);
        order.native = os::kernel_thread_id();
        const pthread_t thread = ::pthread_self();
        EXPECT_EQ(self(), worker_home(1));
        EXPECT_TRUE(::pthread_equal(thread, worker_home(1)->thread));
        if (order.waits) {
            order.waiting.store(self());
            suspend();
            EXPECT_EQ(self(), worker_home(1));
            EXPECT_TRUE(::pthread_equal(thread, ::pthread_self()));
        }
        report_served();
        Fiber* const root = order.root;
        order.over.store(true);
        if (root != nullptr) resume(root);
    }

    void give(ReliefRecord& record) {
        await_sleep();
        start(worker_home(1), {call, this, nullptr, false}, 1);
        slept = wake_started(2, 2, false, record, nullptr);
    }

    void end() const {
        EXPECT_TRUE(over.load());
        if (slept) end_late_orders();
    }

    // By the root, which has nothing else to do.
    void run(ReliefRecord& record) {
        root = self();
        give(record);
        end_own_part();
        suspend();
        end();
    }

    bool woke_nobody() const { return slept && self()->own->late.alone; }
    bool began_on_root() const { return native == os::kernel_thread_id(); }
};

// Until `record` knows that the work is short, and an order has woken nobody.
void learn(ReliefRecord& record) {
    for (;;) {
        Order order;
        order.run(record);
        if (order.woke_nobody() && order.began_on_root()) return;
    }
}

TEST(LateHomes, RunOnTheRootWhileTheirNativeThreadsSleep) {
    in_process(with_carriers(2), [] {
        ReliefRecord record;
        learn(record);
        // Some order may wake the worker: one part was long, since the root was preempted; or the delay has shrunk so far.
        for (int in_a_row = 0; in_a_row < 5; ++in_a_row) {
            Order order;
            order.run(record);
            if (!order.woke_nobody() || !order.began_on_root()) in_a_row = -1;
        }
        EXPECT_TRUE(g.idle.still_asleep(1));
    });
}

TEST(LateHomes, WaitInTheMiddleAndGoOnAsThemselves) {
    for (const std::uint64_t chaos : {0u, 7u}) {
        in_process(with_carriers(2, chaos), [] {
            ReliefRecord record;
            std::uint32_t asleep = 0;
            for (int round = 0; round < 60; ++round) {
                Order order;
                order.waits = true;
                order.root = self();
                order.give(record);
                end_own_part();
                while (order.waiting.load() == nullptr) {
                    if (!yield()) std::this_thread::yield();
                }
                // By the root, or by a plain thread that is no carrier.
                if (round % 4 == 0) {
                    std::thread([&] { resume(order.waiting.load()); }).join();
                } else {
                    resume(order.waiting.load());
                }
                suspend();
                order.end();
                asleep += order.slept;
            }
            EXPECT_GT(asleep, 0u);
        });
    }
}

// How often the monitor has sent for the home.
std::uint32_t sent() { return worker().home_calls.by_monitor.load(); }

TEST(LateHomes, AreSentForWhenTheRootOnlySpins) {
    in_process(with_carriers(2), [] {
        // Some order may wake the worker, as above.
        for (std::uint32_t before = sent(); sent() < before + 5;) {
            ReliefRecord record;
            learn(record);
            const std::uint32_t part = record.habit_of(nullptr).part;
            const std::uint32_t last = sent();
            Order order;
            order.give(record);
            while (!order.over.load()) std::this_thread::yield();  // not by a word to the scheduler
            EXPECT_FALSE(order.began_on_root());
            end_own_part();
            order.end();
            if (order.slept && sent() != last) {
                EXPECT_GT(record.habit_of(nullptr).part, part);
                EXPECT_EQ(record.habit_of(nullptr).misjudged, 1);
            }
        }
    });
}

TEST(LateHomes, OfLongWorkAreWokenAtOnce) {
    in_process(with_carriers(2), [] {
        ReliefRecord record;
        for (int round = 0; round < 20; ++round) {
            Order order;
            order.give(record);
            EXPECT_FALSE(order.woke_nobody());
            do os::sleep_native(3'000'000);  // the root's part
            while (!order.over.load());
            EXPECT_FALSE(order.began_on_root());
            end_own_part();
            order.end();
        }
    });
}

}  // namespace
}  // namespace gossamer::fiber
