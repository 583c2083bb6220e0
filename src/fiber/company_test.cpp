// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Carriers that find themselves on one processor (company.cpp).
#include <algorithm>
#include <thread>

#include "fiber/company.hpp"
#include "fiber/process_for_test.hpp"

namespace gossamer::fiber {
namespace {

// Brings the worker to `processor`, where the root is. It may have parted from the root before, with the mask it was born with.
struct Summons {
    unsigned processor = 0;
    os::CpuMask mask;
    std::uint64_t partings_before = 0;
    std::atomic<bool> there{false};

    static void call(void* argument) {
        Summons& summons = *static_cast<Summons*>(argument);
        os::move_to(summons.processor, summons.mask);
        summons.partings_before = all_counters().partings;
        summons.there.store(true);
    }
};

// Both spin for a while, wherever they are. Returns how often one has moved since the worker was brought.
std::uint64_t partings_after_spinning(Summons& summons) {
    EXPECT_EQ(os::affinity(summons.mask), 0);
    summons.processor = os::current_cpu();
    summons.there.store(false);
    start_now(worker_home(1), {Summons::call, &summons, nullptr, false}, 1);
    while (!spin_until([](const void* at) { return static_cast<const Summons*>(at)->there.load(); }, &summons)) {}
    spin_until([](const void*) { return false; }, nullptr);
    return all_counters().partings - summons.partings_before;
}

class Company : public testing::Test {
protected:
    void SetUp() override {
        if (os::cpu_count() < 2) GTEST_SKIP() << "needs two processors";
    }
};

TEST_F(Company, AWorkerLeavesTheProcessorThatItSharesWithARoot) {
    in_process(with_carriers(2), [] {
        Summons summons;
        std::uint64_t partings = 0;
        // The system may have parted them before, or may run one of them seldom: then another time.
        for (int round = 0; round < 1000 && partings == 0; ++round) partings = partings_after_spinning(summons);
        EXPECT_GT(partings, 0u);
        os::CpuMask mask;
        ASSERT_EQ(os::affinity(mask), 0);
        EXPECT_TRUE(mask == summons.mask) << "a root's mask is the program's";
    });
}

// Two threads that take turns, and yield until theirs comes.
struct Turns {
    static constexpr std::uint32_t rounds = 200;
    os::CpuMask only;
    std::atomic<std::uint32_t> turn{0};
    std::atomic<std::uint64_t> yields{0};
    std::atomic<bool> began{false}, over{false};  // the second thread

    void take(std::uint32_t first) {
        for (std::uint32_t mine = first; mine < 2 * rounds; mine += 2) {
            for (; turn.load() != mine; yields.fetch_add(1)) yield();
            turn.store(mine + 1);
        }
    }
};

// They leave the processor to each other: otherwise each turn of a carrier would last until the kernel ends it, after tens of
// thousands of yields.
TEST(CompanyOnOneProcessor, ThreadsThatYieldLetTheOtherCarrierRun) {
    in_process(with_carriers(2), [] {
        Turns turns;
        turns.only.add(os::current_cpu());
        ASSERT_EQ(os::bind_affinity(turns.only), 0);
        const auto second = [](void* at) {
            Turns& shared = *static_cast<Turns*>(at);
            EXPECT_EQ(os::bind_affinity(shared.only), 0);
            shared.began.store(true);
            shared.take(1);
            shared.over.store(true);
        };
        start_now(worker_home(1), {second, &turns, nullptr, false}, 1);
        while (!turns.began.load()) os::yield_native();  // by a yield of its own the root might run both
        turns.take(0);
        while (!turns.over.load()) yield();
        EXPECT_LT(turns.yields.load(), std::uint64_t{2 * Turns::rounds} * 2'000);
    });
}

TEST_F(Company, TheMaskIsWhatItWas) {
    in_process(with_carriers(2), [] {
        Summons summons;
        std::uint64_t partings = 0;
        for (int round = 0; round < 1000 && partings == 0; ++round) partings = partings_after_spinning(summons);
        ASSERT_GT(partings, 0u);
        struct Look {
            os::CpuMask mask;
            std::atomic<bool> done{false};
        } look;
        const auto read = [](void* at) {
            EXPECT_EQ(os::affinity(static_cast<Look*>(at)->mask), 0);
            static_cast<Look*>(at)->done.store(true);
        };
        start_now(worker_home(1), {read, &look, nullptr, false}, 1);
        while (!look.done.load()) spin_until([](const void* at) { return static_cast<const Look*>(at)->done.load(); }, &look);
        EXPECT_TRUE(look.mask == summons.mask);
    });
}

// The root and a thread that computes all the time are on one processor until that has had a long turn by a yield of the
// root's. Then calls `then` with the root's carrier.
template <class Then>
void beside_one_that_computes(const Config& config, const Then& then) {
    in_process(config, [&] {
        os::CpuMask only;
        only.add(os::current_cpu());
        ASSERT_EQ(os::bind_affinity(only), 0);  // the new thread inherits it
        std::atomic<bool> over{false};
        std::thread other([&] {
            while (!over.load(std::memory_order_relaxed)) arch::pause();
        });
        Carrier& carrier = *self()->carrier;
        while (carrier.company.no_yield_until == 0) EXPECT_TRUE(yield_processor(&carrier));
        then(carrier);
        over.store(true);
        other.join();
    });
}

TEST(Moving, MovesThatFollowEachOtherBecomeRare) {
    const Moving::Times times(1);  // a cycle a nanosecond
    const std::uint64_t step = 100'000;
    Moving moving;
    std::uint64_t now = 5 * times.calm, last = now;
    ASSERT_TRUE(moving.may_move(now, times)) << "the first";
    std::uint64_t expected = times.least;
    for (int move = 0; move < 10; ++move) {
        do now += step;
        while (!moving.may_move(now, times));
        EXPECT_EQ(now - last, expected);
        last = now;
        expected = std::min(2 * expected, times.most);
    }
    EXPECT_EQ(expected, times.most);
    now += times.calm;
    EXPECT_TRUE(moving.may_move(now, times));
    EXPECT_FALSE(moving.may_move(now + times.least - 1, times));
    EXPECT_TRUE(moving.may_move(now + times.least, times)) << "it began anew";
}

TEST(Turns, WhoGaveALongOneParksInsteadForAWhile) {
    Config config = with_carriers(1);
    config.adaptive = true;
    beside_one_that_computes(config, [](Carrier& carrier) {
        carrier.company.no_yield_until = arch::cycles() + cycles_in(4'000'000'000);  // however slow this machine is
        EXPECT_FALSE(yield_processor(&carrier));
        std::uint32_t looks = 0;
        EXPECT_FALSE(
            spin_until([](const void* at) { return ++*static_cast<std::uint32_t*>(const_cast<void*>(at)) == 0; }, &looks));
        EXPECT_LE(looks, 257u);  // not one behind the place where it would have yielded
        EXPECT_TRUE(self()->spun_out);
        carrier.company.no_yield_until = 1;  // long ago
        EXPECT_TRUE(yield_processor(&carrier));
    });
}

TEST(Turns, WhoWaitsActivelySpinsOn) {
    Config config = with_carriers(1);
    config.adaptive = false;
    beside_one_that_computes(config, [](Carrier& carrier) {
        carrier.company.no_yield_until = arch::cycles() + cycles_in(4'000'000'000);
        EXPECT_TRUE(yield_processor(&carrier));
        EXPECT_NE(carrier.company.no_yield_until, 0u) << "it has yielded";
    });
}

// Where a worker runs that was woken, and what it may use there.
struct Woken {
    unsigned processor = os::CpuMask::none;
    unsigned waker = os::CpuMask::none;  // where its waker was
    os::CpuMask mask;
    std::atomic<bool> done{false};

    static void call(void* argument) {
        Woken& woken = *static_cast<Woken*>(argument);
        woken.processor = os::current_cpu();
        EXPECT_EQ(os::affinity(woken.mask), 0);
        woken.done.store(true);
    }
};

// The root stays where it is, and wakes the worker once that sleeps; `of_wakes` says what is known of its wakes.
void wake_beside(Woken& woken, void (*of_wakes)(Carrier& worker, const os::CpuMask& all)) {
    os::CpuMask all, here;
    ASSERT_EQ(os::affinity(all), 0);
    ASSERT_TRUE(enter());
    woken.waker = os::current_cpu();
    here.add(woken.waker);
    ASSERT_EQ(os::bind_affinity(here), 0);
    while (!g.idle.still_asleep(1)) os::yield_native();
    Carrier& worker = *worker_home(1)->own;
    worker.company.mask = all;
    of_wakes(worker, all);
    start_now(worker_home(1), {Woken::call, &woken, nullptr, false}, 1);
    while (!woken.done.load()) os::yield_native();
    EXPECT_TRUE(woken.mask == all);
    ASSERT_EQ(os::bind_affinity(all), 0);
}

TEST_F(Company, AWorkerIsWokenElsewhereWhereItsWakersMust) {
    in_process(with_carriers(2), [] {
        // The worker may have got up by itself just then, or the system may move it once it has its mask back: then another
        // time.
        bool elsewhere = false;
        for (int round = 0; round < 100 && !elsewhere; ++round) {
            Woken woken;
            wake_beside(woken, [](Carrier& worker, const os::CpuMask&) {
                worker.placing.wakes_left = 3;
                worker.company.whereabouts.store(0);  // not known
            });
            const Carrier& worker = *worker_home(1)->own;
            EXPECT_EQ(worker.placing.bound_to, 0u);
            elsewhere = worker.placing.wakes_left == 2 && woken.processor != woken.waker;
        }
        EXPECT_TRUE(elsewhere);
    });
}

TEST_F(Company, AWorkerThatSomebodyElseBindsIsLeftAlone) {
    in_process(with_carriers(2), [] {
        Woken woken;
        wake_beside(woken, [](Carrier& worker, const os::CpuMask& all) {
            worker.placing.wakes_left = 3;
            worker.company.mask.remove(all.next(0));
        });
        EXPECT_NE(worker_home(1)->own->placing.wakes_left, 2u);
    });
}

TEST_F(Company, WhoHasOneProcessorStays) {
    in_process(with_carriers(2), [] {
        os::CpuMask one;
        one.add(os::current_cpu());
        ASSERT_EQ(os::bind_affinity(one), 0);
        Summons summons;
        for (int round = 0; round < 20; ++round) EXPECT_EQ(partings_after_spinning(summons), 0u);
    });
}

}  // namespace
}  // namespace gossamer::fiber
