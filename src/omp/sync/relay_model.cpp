// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Barriers of a dealt team whose shares are woken by relay: no thread stays asleep, none is resumed twice, and each sees what the
// others did before.

#include "omp/sync/relay.hpp"

#include <cstdint>

#include "base/model/model.hpp"
#include "fiber/fiber.hpp"

using namespace gossamer;

namespace {

using Slot = fiber::BasicSlot<model::Token, model::Atomics>;
using Relay = omp::BasicRelay<model::Atomics>;

// Threads num, num + homes, … are the share of home num. Those of `crowded` leave themselves in their slots before they
// arrive; the others look first. With `late`, one more thread resumes whom it finds, at any moment, as for a task.
template <unsigned count, unsigned homes, unsigned rounds, unsigned crowded, bool late = false>
struct Shares {
    static constexpr unsigned threads = count + (late ? 1 : 0);
    static constexpr bool may_sleep = false;
    static constexpr std::uint64_t one_asleep = std::uint64_t{1} << 32;

    Slot slot[count];
    Slot::Sleepers sleepers{0};
    model::Token token[count];
    Relay relay[homes];
    model::Atomic<std::uint64_t> arrived{0};
    model::Atomic<unsigned> generation{0};
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

    void wake_counted() {
        for (unsigned num = 0; num < count && sleepers.load(std::memory_order_seq_cst) != 0; ++num) wake(num);
    }

    void arrive(unsigned me, unsigned round) {
        const bool asleep = (crowded >> me & 1) != 0;
        const unsigned own = me % homes;
        if (asleep) {
            saved[me].set(1);
            slot[me].fill(&token[me]);
        }
        const std::uint64_t before = arrived.fetch_add(asleep ? 1 + one_asleep : 1, std::memory_order_seq_cst);
        const bool last = static_cast<unsigned>(before) + 1 == count;
        if (asleep && !(last && slot[me].take_back(sleepers))) token[me].take();
        if (last) {
            arrived.store(0, std::memory_order_relaxed);
            const bool relayed = before >= one_asleep;
            for (unsigned home = 0; relayed && home < homes; ++home) {
                if (home != own) relay[home].order();
            }
            generation.store(round + 1, std::memory_order_seq_cst);
            if (!relayed) return wake_counted();
            for (unsigned home = 0; home < homes; ++home) {
                if (home != own) wake(home);
            }
            return wake_share(own);
        }
        const auto released = [&] { return generation.load(std::memory_order_seq_cst) != round; };
        while (!released()) {
            saved[me].set(2);
            slot[me].leave(&token[me], sleepers);
            if (released() && slot[me].take_back(sleepers)) break;
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

struct AllAsleep : Shares<3, 2, 2, 0b111> {
    static constexpr unsigned preemptions = 3;
};
struct HomesAwake : Shares<4, 2, 1, 0b1100> {
    static constexpr unsigned preemptions = 2;
};
struct MembersAwake : Shares<4, 2, 1, 0b0011> {
    static constexpr unsigned preemptions = 2;
};
struct Twice : Shares<4, 2, 2, 0b1110> {
    static constexpr unsigned preemptions = 1;
};
struct ThreeShares : Shares<4, 3, 1, 0b1110> {
    static constexpr unsigned preemptions = 2;
};
struct Late : Shares<3, 2, 1, 0b110, true> {
    static constexpr unsigned preemptions = 2;
};

}  // namespace

int main(int argc, char** argv) {
    model::Suite suite("relay");
    suite.add<AllAsleep>("three, all asleep, twice");
    suite.add<HomesAwake>("two shares, the homes awake");
    suite.add<MembersAwake>("two shares, the homes asleep");
    suite.add<Twice>("two shares, twice");
    suite.add<ThreeShares>("three shares");
    suite.add<Late>("a waker of tasks comes late");
    constexpr const char* elsewhere = "slot_model.cpp notices it: barriers without relays, other conditions that end a wait";
    suite.unnoticed("leave", model::Op::modify, std::memory_order_seq_cst, elsewhere);
    suite.unnoticed("arrive", model::Op::modify, std::memory_order_seq_cst, elsewhere);
    suite.unnoticed("take", model::Op::modify, std::memory_order_acquire, elsewhere);
    return suite.run(argc, argv);
}
