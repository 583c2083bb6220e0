// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Everybody's turn comes, in order, and no wake is lost, whether each has a slot of its own or must wait by other means.

#include "omp/work/turns.hpp"

#include "base/model/model.hpp"

using namespace gossamer;

namespace {

/// Thread i waits for turn i, and passes on, by the steps of ordered.cpp. Others' means are a flag for each turn, as the
/// parking lot of fiber/wait.cpp is with one address each.
template <unsigned slot_bits>
struct Queue {
    static constexpr unsigned threads = 3;
    static constexpr bool may_sleep = false;

    omp::BasicTurns<model::Token, model::Atomics, slot_bits> turns;
    model::Token token[threads];
    model::Var<int> lies[threads];  // what a passer reads of the waiter that it got
    model::Atomic<unsigned> parked[threads] = {};
    model::Token unpark[threads];
    model::Var<unsigned> passed;

    void park(unsigned me) {
        turns.begin_overflow();
        parked[me].store(1, std::memory_order_relaxed);
        model::Atomics::fence(std::memory_order_seq_cst);
        if (!turns.has_come(me) || parked[me].exchange(0, std::memory_order_relaxed) == 0) unpark[me].take();
        turns.end_overflow();
    }
    void notify(unsigned next) {
        model::Atomics::fence(std::memory_order_seq_cst);
        if (parked[next].exchange(0, std::memory_order_relaxed) != 0) unpark[next].give();
    }

    void run(unsigned me) {
        while (!turns.has_come(me)) {
            lies[me].set(1);
            if (!turns.fill_slot(&token[me], me)) {
                park(me);
            } else if (!turns.has_come_now(me) || !turns.take_back(&token[me], me)) {
                token[me].take();
            }
        }
        model::require(passed.get() == me, "a turn came without what was written in the one before");
        passed.set(me + 1);
        if (model::Token* const waiter = turns.pass(me + 1)) {
            model::require(lies[waiter - token].get() != 0, "a waiter came without its data");
            waiter->give();
        }
        if (me + 1 < threads && turns.any_overflow()) notify(me + 1);
    }

    void finish() { model::require(passed.get() == threads, "a turn was left out"); }
};

}  // namespace

int main(int argc, char** argv) {
    model::Suite suite("turns");
    suite.add<Queue<4>>("a slot for each");
    suite.add<Queue<0>>("one slot for all");
    suite.unnoticed("notify", model::Op::fence, std::memory_order_seq_cst, "pass is a sequentially consistent step already");
    return suite.run(argc, argv);
}
