// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// No wake is lost and none comes twice: at the end nobody sleeps, and no leave to go on is left over.

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
    model::Var<int> saved[count]; // what a notifier reads of the waiter that it got

    template <class Done>
    void wait(unsigned me, Done done) {
        for (int turn = 1; !done(); ++turn) {
            saved[me].set(turn);
            slot[me].leave(&token[me], sleepers);
            if (done() && slot[me].take_back(sleepers))
                return;
            token[me].take();
        }
    }

    void wake_all() {
        for (unsigned i = 0; i < count && sleepers.load(std::memory_order_seq_cst) != 0; ++i) {
            model::Token* const waiter = slot[i].take(sleepers);
            if (waiter == nullptr)
                continue;
            model::require(saved[i].get() != 0, "a waiter came without its data");
            waiter->give();
        }
    }

    void finish() {
        for (const model::Token& each : token)
            model::require(each.left() == 0, "a waiter was resumed twice");
        model::require(sleepers.load(std::memory_order_seq_cst) == 0, "the count of sleepers is wrong");
    }
};

/// A flag that one thread sets: what it wrote before is seen by all who waited.
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

struct TwoWait : Flag<3> {};
struct ThreeWait : Flag<4> {
    static constexpr unsigned preemptions = 2;
};
struct PairOften : Barrier<2, 3> {};
struct ThreeTwice : Barrier<3, 2> {
    static constexpr unsigned preemptions = 3;
};

} // namespace

int main(int argc, char** argv) {
    model::Suite suite("slot");
    suite.add<TwoWait>("two wait");
    suite.add<PairOften>("a pair, often");
    suite.add<ThreeWait>("three wait");
    suite.add<ThreeTwice>("three, twice");
    return suite.run(argc, argv);
}
