// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Nobody leaves a barrier of two without what the other wrote before it, no wake is lost, and none is left over, however the
// two wait.

#include <cstdint>

#include "base/model/model.hpp"
#include "fiber/fiber.hpp"
#include "omp/sync/pair_word.hpp"

using namespace gossamer;

namespace {

using Slot = fiber::BasicSlot<model::Token, model::Atomics>;
using PairWord = omp::BasicPairWord<model::Atomics>;

/// Two threads that meet `rounds` times, as `barrier_of_two` does. Bit i of `leaves`: thread i leaves itself in its slot before
/// it arrives, unless it sees that the other one waits. With `alarm`, one more thread makes something else true that may end a
/// wait in a slot, and looks for sleepers.
template <unsigned rounds, unsigned leaves, bool alarm = false>
struct Pair {
    static constexpr unsigned threads = alarm ? 3 : 2;
    static constexpr bool may_sleep = false;

    PairWord::Word word{0};
    std::uint32_t remembered[2] = {};
    Slot slot[2];
    Slot::Sleepers sleepers{0};
    model::Token token[2];
    model::Var<int> saved[2];  // what a notifier reads of the waiter that it got
    model::Atomic<unsigned> alarmed{0};
    model::Var<int> written[rounds][2];

    bool stop() { return alarm && alarmed.load(std::memory_order_seq_cst) != 0; }

    void wake(bool all) {
        for (unsigned i = 0; i < 2 && (all || sleepers.load(std::memory_order_seq_cst) != 0); ++i) {
            model::Token* const waiter = slot[i].take(sleepers);
            if (waiter == nullptr) continue;
            model::require(saved[i].get() != 0, "a waiter came without its data");
            waiter->give();
        }
    }

    bool counted_asleep() { return sleepers.load(std::memory_order_seq_cst) != 0; }

    void wait(unsigned me, std::uint64_t odd) {
        for (int turn = 2; !PairWord::is_released(word, odd); ++turn) {
            saved[me].set(turn);
            slot[me].leave(&token[me], sleepers);
            if (PairWord::is_released(word, odd) && slot[me].take_back(sleepers)) return;
            token[me].take();
        }
    }

    void meet(unsigned me) {
        const bool asleep = (leaves >> me & 1) != 0 && !PairWord::seems_met(word);
        if (asleep) {
            saved[me].set(1);
            slot[me].fill(&token[me]);
        }
        const PairWord::Arrival arrival = PairWord::arrive(word, remembered[me], asleep);
        if (asleep && !((!arrival.first || stop()) && slot[me].take_back(sleepers))) token[me].take();
        if (arrival.first) return wait(me, arrival.odd);
        PairWord::release(word, remembered[me]);
        wake(arrival.odd >= PairWord::one_asleep);
    }

    void run(unsigned thread) {
        if (thread == 2) {
            alarmed.store(1, std::memory_order_seq_cst);
            const bool one_left = word.load(std::memory_order_seq_cst) >= PairWord::one_asleep;
            return wake(one_left || counted_asleep());
        }
        for (unsigned round = 0; round < rounds; ++round) {
            written[round][thread].set(1);
            meet(thread);
            for (const model::Var<int>& each : written[round])
                model::require(each.get() == 1, "a thread left the barrier without what the other wrote before it");
        }
    }

    void finish() {
        for (const model::Token& each : token) model::require(each.left() == 0, "a waiter was resumed twice");
        model::require(sleepers.load(std::memory_order_seq_cst) == 0, "the count of sleepers is wrong");
        model::require((word.load(std::memory_order_seq_cst) & 1) == 0, "somebody still waits");
    }
};

struct BothSpin : Pair<3, 0> {};
struct OneLeaves : Pair<3, 1> {
    static constexpr unsigned preemptions = 3;
};
struct BothLeave : Pair<3, 3> {
    static constexpr unsigned preemptions = 3;
};
struct Alarmed : Pair<2, 1, true> {
    static constexpr unsigned preemptions = 3;
};

/// The word was reset, and both remember another number.
struct Reset : Pair<2, 2> {
    Reset() { remembered[0] = 6, remembered[1] = 8; }
};

/// One that left itself at a barrier to which the other never comes hears of the alarm.
struct OnlyTheAlarm : Pair<1, 1, true> {
    void run(unsigned thread) {
        if (thread == 2) return Pair::run(thread);
        if (thread == 1) return;
        saved[0].set(1);
        slot[0].fill(&token[0]);
        PairWord::arrive(word, remembered[0], true);
        if (!(stop() && slot[0].take_back(sleepers))) token[0].take();
    }
    void finish() {
        for (const model::Token& each : token) model::require(each.left() == 0, "a waiter was resumed twice");
    }
};

}  // namespace

int main(int argc, char** argv) {
    model::Suite suite("pair word");
    suite.add<BothSpin>("both spin, often");
    suite.add<OneLeaves>("one leaves itself, often");
    suite.add<BothLeave>("both leave themselves, often");
    suite.add<Reset>("a word that was reset");
    suite.add<Alarmed>("one leaves itself, and an alarm");
    suite.add<OnlyTheAlarm>("one that only the alarm wakes");
    suite.unnoticed("counted_asleep", model::Op::load, std::memory_order_seq_cst,
                    "here the seq_cst look at the word before it orders it, which the standard does not promise");
    return suite.run(argc, argv);
}
