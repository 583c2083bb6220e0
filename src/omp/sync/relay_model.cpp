// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Barriers of a dealt team whose shares are woken by relay, and mostly arrive together: no thread stays asleep, none is resumed
// twice, and each sees what the others did before. The slots and the relay are the library's; the arrival, the orders to
// relays, the wakes by them and the waits are restated from barrier.cpp.

#include "omp/sync/relay.hpp"

#include <cstdint>

#include "base/model/model.hpp"
#include "fiber/fiber.hpp"

using namespace gossamer;

namespace {

using Slot = fiber::BasicSlot<model::Token, model::Atomics>;
using Relay = omp::BasicRelay<model::Atomics>;

// Threads num, num + homes, … are the share of home num. Those of `crowded` leave themselves in their slots before they
// arrive; the others look first. `grouped`: a share arrives by a counter of its own. With `late`, one more thread resumes whom
// it finds, at any moment, as for a task.
template <unsigned count, unsigned homes, unsigned rounds, unsigned crowded, unsigned most_preemptions, bool grouped = false,
          bool late = false>
struct Shares {
    static constexpr unsigned preemptions = most_preemptions;
    static constexpr unsigned threads = count + (late ? 1 : 0);
    static constexpr bool may_sleep = false;
    static constexpr std::uint64_t one_asleep = std::uint64_t{1} << 32;

    Slot slot[count];
    Slot::Sleepers sleepers{0};
    model::Token token[count];
    Relay relay[homes];
    model::Atomic<std::uint64_t> arrived{0};
    model::Atomic<unsigned> arrived_here[homes] = {};
    model::Atomic<unsigned> generation{0};
    model::Atomic<unsigned> cancelled{0};
    model::Var<int> saved[count];  // what a waker reads of the waiter that it got
    model::Var<int> written[rounds][count];

    void wake(unsigned num) {
        model::Token* const waiter = slot[num].take(sleepers);
        if (waiter == nullptr) return;
        model::require(saved[num].get() != 0, "a waiter came without its data");
        waiter->give();
    }

    void wake_share(unsigned home) {
        for (unsigned num = home; num < count; num += homes) wake(num);
    }

    bool counted_asleep() { return sleepers.load(std::memory_order_seq_cst) != 0; }

    void wake_those_asleep(bool all) {
        for (unsigned num = 0; num < count && (all || counted_asleep()); ++num) wake(num);
    }

    // As `arrive` in barrier.cpp.
    bool is_last(unsigned home, bool asleep, std::uint64_t& before) {
        std::uint64_t step = asleep ? 1 + one_asleep : 1;
        if (grouped) {
            const unsigned size = (count - 1 - home) / homes + 1;
            if (asleep) arrived.fetch_add(one_asleep, std::memory_order_seq_cst);
            if (arrived_here[home].fetch_add(1, std::memory_order_acq_rel) + 1 != size) return false;
            arrived_here[home].store(0, std::memory_order_relaxed);
            step = 1;
        }
        before = arrived.fetch_add(step, std::memory_order_seq_cst);
        return static_cast<unsigned>(before) + 1 == (grouped ? homes : count);
    }

    void arrive(unsigned me, unsigned round, bool cancellable = false) {
        const auto stops = [&] { return cancellable && cancelled.load(std::memory_order_seq_cst) != 0; };
        const bool asleep = (crowded >> me & 1) != 0;
        const unsigned own = me % homes;
        if (asleep) {
            saved[me].set(1);
            slot[me].fill(&token[me]);
        }
        std::uint64_t before = 0;
        const bool last = is_last(own, asleep, before);
        if (asleep && !((last || stops()) && slot[me].take_back(sleepers))) token[me].take();
        if (last) {
            arrived.store(0, std::memory_order_relaxed);
            const bool relayed = before >= one_asleep;
            for (unsigned home = 0; relayed && home < homes; ++home) {
                if (home != own) relay[home].order();
            }
            generation.store(round + 1, std::memory_order_seq_cst);
            if (!relayed) return wake_those_asleep(false);
            for (unsigned home = 0; home < homes; ++home) {
                if (home != own) wake(home);
            }
            return wake_share(own);
        }
        const auto over = [&] { return generation.load(std::memory_order_seq_cst) != round || stops(); };
        while (!over()) {
            saved[me].set(2);
            slot[me].leave(&token[me], sleepers);
            if (over() && slot[me].take_back(sleepers)) break;
            token[me].take();
        }
        if (relay[own].is_mine()) wake_share(own);
    }

    void run(unsigned thread) {
        if (thread == count) {
            for (unsigned num = 0; num < count; ++num) wake(num);
            return;
        }
        for (unsigned round = 0; round < rounds; ++round) {
            written[round][thread].set(1);
            arrive(thread, round);
            for (const model::Var<int>& each : written[round])
                model::require(each.get() == 1, "a thread left the barrier without what another wrote before it");
        }
    }

    void finish() {
        for (const model::Token& each : token) model::require(each.left() == 0, "a waiter was resumed twice");
        model::require(sleepers.load(std::memory_order_seq_cst) == 0, "the count of sleepers is wrong");
    }
};

// The region is cancelled by a thread that does not come to the barrier, and those that wait there hear of it.
template <bool grouped>
struct Cancelled : Shares<3, 2, 1, 0b101, 3, grouped> {
    void run(unsigned thread) {
        if (thread != 1) return this->arrive(thread, 0, true);
        this->cancelled.store(1, std::memory_order_seq_cst);
        this->wake_those_asleep(this->arrived.load(std::memory_order_seq_cst) >= this->one_asleep);
    }
};

}  // namespace

int main(int argc, char** argv) {
    model::Suite suite("relay");
    suite.add<Shares<3, 2, 2, 0b111, 3>>("three, all asleep, twice");
    suite.add<Shares<4, 2, 1, 0b1100, 2>>("two shares, the homes awake");
    suite.add<Shares<4, 2, 1, 0b0011, 2>>("two shares, the homes asleep");
    suite.add<Shares<4, 2, 2, 0b1110, 1>>("two shares, twice");
    suite.add<Shares<4, 3, 1, 0b1110, 2>>("three shares");
    suite.add<Shares<3, 2, 1, 0b110, 2, false, true>>("a waker of tasks comes late");
    suite.add<Cancelled<false>>("cancelled");
    suite.add<Cancelled<true>>("cancelled, in groups");
    suite.add<Shares<3, 2, 2, 0b101, 3, true>>("groups of three, twice");
    suite.add<Shares<4, 2, 1, 0b1010, 2, true>>("groups of two");
    suite.add<Shares<4, 2, 2, 0b0110, 1, true>>("groups of two, twice");
    suite.add<Shares<3, 2, 1, 0b110, 2, true, true>>("groups, and a waker of tasks comes late");
    suite.unnoticed("leave", model::Op::modify, std::memory_order_seq_cst,
                    "slot_model.cpp notices it: other waiters that look before they sleep");
    suite.unnoticed("counted_asleep", model::Op::load, std::memory_order_seq_cst,
                    "here the seq_cst look at the arrivals before it orders it, which the standard does not promise");
    return suite.run(argc, argv);
}
