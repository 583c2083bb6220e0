// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Zones without any CPU behind them: binding is noted and nothing else, so a test has as many as it likes on any machine.
#include "fiber/zone.hpp"

#include <thread>

#include "fiber/process_for_test.hpp"

namespace gossamer::fiber {
namespace {

constexpr std::uint32_t zones = 3;

std::atomic<int> binds{0};

Config with_zones(std::uint32_t carriers, std::uint64_t chaos = 0) {
    Config config = with_carriers(carriers, chaos);
    config.zones = zones;
    config.bind = [](std::uint32_t zone) {
        binds.fetch_add(1);
        return zone <= zones ? 0 : 22;
    };
    config.bind_thread = [](pthread_t, std::uint32_t) { return 0; };
    config.zone_of = [](std::uint32_t carrier) { return carrier % 2 + 1; };  // no worker serves the third
    return config;
}

void in_each_zoned_shape(const std::function<void()>& body) {
    for (const std::uint32_t carriers : {1u, 2u, 4u}) {
        for (const std::uint64_t chaos : {0u, 7u}) {
            SCOPED_TRACE(::testing::Message() << carriers << " carriers, chaos " << chaos);
            in_process(with_zones(carriers, chaos), [&] {
                serve(1);
                body();
                pass_on();
            });
        }
    }
}

// A team whose numbers are dealt to zones one after another, as ranges.
class ZonedTeam {
public:
    explicit ZonedTeam(std::uint32_t size) : size_(size), parts_(new Part[size]) {
        for (std::uint32_t number = 0; number < size; ++number) {
            Part& part = parts_[number];
            part.team = this;
            part.call = [](Range& range, std::uint32_t taken, Fiber&) { static_cast<Part&>(range).team->call(taken); };
            part.unfinished = &left_;
            part.last = [](Range& range) { static_cast<Part&>(range).team->wake(); };
            part.part = [](Range& range, std::uint32_t lo) -> Range& { return static_cast<Part&>(range).team->parts_[lo]; };
        }
    }

    static std::uint32_t zone_of(std::uint32_t number) { return number % zones + 1; }

    // Returns when body(number) has run for all. One range for each number.
    void run(std::function<void(std::uint32_t number)> body) {
        body_ = std::move(body);
        left_.store(size_);
        for (std::uint32_t number = 0; number < size_; ++number) {
            parts_[number].span.arm(number, number + 1);
            offer_in(parts_[number], zone_of(number), false);
        }
        join();
    }

    // The same with a single range, all of it for one zone.
    void run_in(std::uint32_t zone, std::function<void(std::uint32_t number)> body) {
        body_ = std::move(body);
        left_.store(size_);
        parts_[0].span.arm(0, size_);
        offer_in(parts_[0], zone, false);
        join();
    }

private:
    struct Part : Range {
        ZonedTeam* team = nullptr;
    };

    void call(std::uint32_t number) { body_(number); }

    void wake() {
        if (sleepers_.load() != 0) wake_slot(joiner_, sleepers_);
    }

    void join() {
        wait_slot(joiner_, sleepers_, [this] { return left_.load() == 0; });
    }

    std::uint32_t size_;
    Part* parts_;
    std::function<void(std::uint32_t number)> body_;
    std::atomic<std::uint32_t> left_{0};
    std::atomic<std::uint32_t> sleepers_{0};
    WaitSlot joiner_;
};

// Where the native thread under the caller is bound.
std::uint32_t bound_now() { return self()->carrier->bound; }

// Also a zone that no carrier serves gets its work done, bound to it.
TEST(Zone, WhatEntersAZoneIsBoundToIt) {
    in_each_zoned_shape([] {
        auto& team = *new ZonedTeam(12);
        for (int round = 0; round < 30; ++round) {
            std::atomic<int> ran{0};
            team.run([&](std::uint32_t number) {
                const std::uint32_t own = ZonedTeam::zone_of(number);
                enter_zone(own);
                EXPECT_EQ(zone(), own);
                EXPECT_EQ(bound_now(), own);
                EXPECT_EQ(bound_zone(), own);
                ran.fetch_add(1);
                leave_zone();
            });
            EXPECT_EQ(ran.load(), 12);
        }
    });
}

// The slot that a bound root has left says nothing of the native thread that takes it next.
TEST(Zone, ARootThatTakesALeftSlotIsBoundAnew) {
    in_process(with_zones(1), [] {
        for (int root = 1; root <= 2; ++root) {
            std::thread([root] {
                ASSERT_TRUE(enter());
                EXPECT_EQ(bound_zone(), 0u);
                const int before = binds.load();
                enter_zone(2);
                EXPECT_EQ(binds.load(), before + 1) << "root " << root;
                leave();
            }).join();
        }
    });
}

// A range that was offered and then taken by way of an old pointer lies in its queue until it is offered again; meanwhile
// that queue may have moved to the commons.
TEST(Zone, AnOldRangeThatMovesToTheCommonsLiesInOneQueue) {
    in_process(with_zones(1), [] {
        static Range range;
        static std::atomic<std::uint32_t> left;
        range.call = [](Range&, std::uint32_t, Fiber&) {};
        range.unfinished = &left;
        range.last = [](Range&) {};
        range.part = [](Range& whole, std::uint32_t) -> Range& { return whole; };
        std::atomic<bool> over{false};
        std::thread other([&over] {
            ASSERT_TRUE(enter());
            while (!over.load()) {
                serve(3);
                pass_on();
            }
            leave();
        });
        for (const std::uint64_t end_ns = os::now_ns() + 400'000'000; os::now_ns() < end_ns;) {
            left.store(1);
            range.span.arm(0, 1);
            offer_in(range, 3, false);
            std::uint32_t number;
            if (range.span.take_last(number)) left.store(0);
            while (left.load() != 0) os::yield_native();  // the monitor had it run
        }
        over.store(true);
        other.join();
        std::uint32_t found = 0;
        for (Zone* const zone : {&g.zones[0], &g.zones[3]}) {
            SpinGuard guard(zone->lock, os::yield_native);
            std::uint32_t length = 0;
            for (const Link* at = zone->first; at != nullptr && length < 10; at = at->next) ++length;
            EXPECT_EQ(length, zone->count.load());
            found += length;
        }
        EXPECT_LE(found, 1u);
    });
}

// Whichever thread resumes a fiber of a zone, and wherever its carrier was: it goes on bound to the zone.
TEST(Zone, AWaiterGoesOnInItsZone) {
    in_each_zoned_shape([] {
        constexpr std::uint32_t size = 9;
        auto& team = *new ZonedTeam(size);
        std::atomic<Fiber*> waiting[size] = {};
        for (int round = 0; round < 20; ++round) {
            std::atomic<std::uint32_t> passed{0};
            team.run([&](std::uint32_t number) {
                enter_zone(ZonedTeam::zone_of(number));
                for (int turn = 0; turn < 3; ++turn) {
                    waiting[number].store(self());
                    // The next one's waiter, which is another zone's.
                    if (Fiber* const other = waiting[(number + 1) % size].exchange(nullptr)) resume(other);
                    if (Fiber* const mine = waiting[number].exchange(nullptr)) resume(mine);
                    suspend();
                    EXPECT_EQ(bound_now(), ZonedTeam::zone_of(number));
                    yield();
                    EXPECT_EQ(bound_now(), ZonedTeam::zone_of(number));
                }
                passed.fetch_add(1);
                leave_zone();
            });
            EXPECT_EQ(passed.load(), size);
        }
    });
}

// A range in a queue is taken number by number, each exactly once.
TEST(Zone, ARangeIsSplitInTheQueue) {
    in_each_zoned_shape([] {
        constexpr std::uint32_t size = 40;
        auto& team = *new ZonedTeam(size);
        for (std::uint32_t round = 0; round < 30; ++round) {
            const std::uint32_t where = round % zones + 1;
            std::atomic<int> ran[size] = {};
            team.run_in(where, [&](std::uint32_t number) {
                enter_zone(where);
                ran[number].fetch_add(1);
                if (number % 5 == 0) yield();
                leave_zone();
            });
            for (const auto& each : ran) EXPECT_EQ(each.load(), 1);
        }
    });
}

// A zone that has a server keeps its work for it; one that has none sends it to the commons. (On a busy machine relief may
// come between and take some of it; then it is tried again.)
TEST(Zone, WorkGoesToWhoeverServes) {
    in_process(with_zones(1), [] {
        serve(2);
        auto& team = *new ZonedTeam(6);
        bool all_lies_there = false;
        for (int attempt = 0; attempt < 50 && !all_lies_there; ++attempt) {
            std::atomic<bool> first{true};
            team.run([&](std::uint32_t) {
                if (!first.exchange(false)) return;
                EXPECT_EQ(g.zones[1].count.load(), 0u);
                EXPECT_EQ(g.zones[3].count.load(), 0u);
                const std::uint32_t in_commons = g.zones[0].count.load();
                all_lies_there = in_commons >= 3 && g.zones[2].count.load() + in_commons == 5;
            });
        }
        EXPECT_TRUE(all_lies_there);
        pass_on();
    });
}

// Going from zone to zone costs a system call, staying in one none.
TEST(Zone, StayingIsFree) {
    in_process(with_zones(1), [] {
        serve(1);
        enter_zone(2);
        const int before = binds.load();
        for (int i = 0; i < 10; ++i) {
            enter_zone(2);
            yield();
        }
        EXPECT_EQ(binds.load(), before);
        enter_zone(3);
        EXPECT_EQ(binds.load(), before + 1);
        EXPECT_EQ(bound_now(), 3u);
        enter_zone(0);
        pass_on();
        EXPECT_EQ(self()->own->bound, 0u);
    });
}

}  // namespace
}  // namespace gossamer::fiber
