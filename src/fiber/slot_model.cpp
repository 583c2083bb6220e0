// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// No wake is lost and none comes twice: at the end no waiter sleeps, and no leave to go on is left over.

#include <cstdint>

#include "base/model/model.hpp"
#include "fiber/slot.hpp"

using namespace gossamer;

namespace {

using Slot = fiber::BasicSlot<model::Token, model::Atomics>;

/// Threads, each with a slot and the token it sleeps on.
template <unsigned count>
struct Base {
    static constexpr unsigned threads = count;
    static constexpr bool may_sleep = false;

    Slot slot[count];
    Slot::Sleepers sleepers{0};
    model::Token token[count];
    model::Var<int> saved[count];  // what a notifier reads of the waiter that it got

    template <class Done>
    void wait(unsigned me, Done done) {
        for (int turn = 1; !done(); ++turn) {
            saved[me].set(turn);
            slot[me].leave(&token[me], sleepers);
            if (done() && slot[me].take_back(sleepers)) return;
            token[me].take();
        }
    }

    void wake_all() {
        for (unsigned i = 0; i < count && sleepers.load(std::memory_order_seq_cst) != 0; ++i) {
            model::Token* const waiter = slot[i].take(sleepers);
            if (waiter == nullptr) continue;
            model::require(saved[i].get() != 0, "a waiter came without its data");
            waiter->give();
        }
    }

    void finish() {
        for (const model::Token& each : token) model::require(each.left() == 0, "a waiter was resumed twice");
        model::require(sleepers.load(std::memory_order_seq_cst) == 0, "the count of sleepers is wrong");
    }
};

/// A flag that one thread sets: every waiter sees what that thread wrote before.
template <unsigned count>
struct Flag : Base<count> {
    model::Atomic<unsigned> flag{0};
    model::Var<int> data;

    void run(unsigned thread) {
        if (thread == 0) {
            data.set(1);
            flag.store(1, std::memory_order_seq_cst);
            this->wake_all();
        } else {
            this->wait(thread, [this] { return flag.load(std::memory_order_seq_cst) == 1; });
            model::require(data.get() == 1, "a waiter went on without the data");
        }
    }
};

/// A team's barrier, several times over the same slots: a notifier may be late by a generation.
template <unsigned count, unsigned rounds>
struct Barrier : Base<count> {
    model::Atomic<unsigned> arrived{0};
    model::Atomic<unsigned> generation{0};
    model::Var<int> written[rounds][count];

    void run(unsigned thread) {
        for (unsigned round = 0; round < rounds; ++round) {
            written[round][thread].set(1);
            if (arrived.fetch_add(1, std::memory_order_acq_rel) + 1 == count) {
                arrived.store(0, std::memory_order_relaxed);
                generation.store(round + 1, std::memory_order_seq_cst);
                this->wake_all();
            } else {
                this->wait(thread, [&] { return generation.load(std::memory_order_seq_cst) != round; });
            }
            for (const model::Var<int>& each : written[round])
                model::require(each.get() == 1, "a thread left the barrier without what another wrote before it");
        }
    }
};

/// The barrier of a crowded team: threads whose carrier has other work leave themselves before they arrive, and the step by
/// which they arrive counts them. With `alarm`, one more thread makes a second condition true, after which a thread may sleep
/// only in the wait for the generation: a task that was deferred, a cancellation.
template <unsigned count, unsigned rounds, bool alarm>
struct Crowded : Base<count + (alarm ? 1 : 0)> {
    static constexpr std::uint64_t one_asleep = std::uint64_t{1} << 32;
    model::Atomic<std::uint64_t> arrived{0};
    model::Atomic<unsigned> generation{0};
    model::Atomic<unsigned> alarmed{0};
    model::Var<int> written[rounds][count];

    void wake(bool all) {
        for (unsigned i = 0; i < count && (all || this->sleepers.load(std::memory_order_seq_cst) != 0); ++i) {
            model::Token* const waiter = this->slot[i].take(this->sleepers);
            if (waiter == nullptr) continue;
            model::require(this->saved[i].get() != 0, "a waiter came without its data");
            waiter->give();
        }
    }

    bool counted_asleep() { return this->sleepers.load(std::memory_order_seq_cst) != 0; }
    bool anyone_sleeps() { return arrived.load(std::memory_order_seq_cst) >= one_asleep || counted_asleep(); }

    void arrive(unsigned me, unsigned round, bool cancellable = false) {
        const bool asleep = me % 2 == 0;
        if (asleep) {
            this->saved[me].set(1);
            this->slot[me].fill(&this->token[me]);
        }
        const std::uint64_t before = arrived.fetch_add(asleep ? 1 + one_asleep : 1, std::memory_order_seq_cst);
        const bool last = static_cast<unsigned>(before) + 1 == count;
        const auto stop = [&] { return alarm && alarmed.load(std::memory_order_seq_cst) != 0; };
        const auto over = [&] { return generation.load(std::memory_order_seq_cst) != round || (cancellable && stop()); };
        if (asleep && !((last || stop()) && this->slot[me].take_back(this->sleepers))) this->token[me].take();
        if (last) {
            arrived.store(0, std::memory_order_relaxed);
            generation.store(round + 1, std::memory_order_seq_cst);
            wake(before >= one_asleep);
            return;
        }
        this->wait(me, over);
    }

    void run(unsigned thread) {
        if (thread == count) {
            alarmed.store(1, std::memory_order_seq_cst);
            wake(anyone_sleeps());
            return;
        }
        for (unsigned round = 0; round < rounds; ++round) {
            written[round][thread].set(1);
            arrive(thread, round);
            for (const model::Var<int>& each : written[round])
                model::require(each.get() == 1, "a thread left the barrier without what another wrote before it");
        }
    }
};

/// Those that wait at a barrier that never completes hear of the alarm, whichever way they sleep.
struct Alarm : Crowded<3, 1, true> {
    static constexpr unsigned preemptions = 2;

    void run(unsigned thread) {
        if (thread == 3)
            Crowded::run(thread);
        else if (thread != 2)
            arrive(thread, 0, true);
    }
};

struct TwoWait : Flag<3> {};
struct CrowdedPair : Crowded<2, 3, false> {
    static constexpr unsigned preemptions = 3;
};
struct CrowdedThree : Crowded<3, 2, false> {
    static constexpr unsigned preemptions = 3;
};
struct CrowdedFour : Crowded<4, 2, false> {
    static constexpr unsigned preemptions = 1;
};
struct CrowdedAlarm : Crowded<2, 2, true> {
    static constexpr unsigned preemptions = 3;
};
struct ThreeWait : Flag<4> {
    static constexpr unsigned preemptions = 2;
};
struct PairOften : Barrier<2, 3> {};
struct ThreeTwice : Barrier<3, 2> {
    static constexpr unsigned preemptions = 3;
};

}  // namespace

int main(int argc, char** argv) {
    model::Suite suite("slot");
    suite.add<TwoWait>("two wait");
    suite.add<PairOften>("a pair, often");
    suite.add<ThreeWait>("three wait");
    suite.add<ThreeTwice>("three, twice");
    suite.add<CrowdedPair>("a crowded pair, often");
    suite.add<CrowdedThree>("three, crowded, twice");
    suite.add<CrowdedFour>("four, crowded, twice");
    suite.add<CrowdedAlarm>("a crowded pair and an alarm");
    suite.add<Alarm>("a crowd that only an alarm wakes");
    suite.unnoticed("counted_asleep", model::Op::load, std::memory_order_seq_cst,
                    "here the seq_cst look at the arrivals before it orders it, which the standard does not promise");
    return suite.run(argc, argv);
}
