// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The owner and the visitors are never with the fields at once, each sees what the last one did, and nobody is kept out of a
// gate that is open and clear; with the asymmetric fence and with two ordinary ones.

#include "base/model/lock.hpp"
#include "base/model/model.hpp"
#include "omp/team/owner_gate.hpp"

using namespace gossamer;

namespace {

struct Asymmetric : model::Atomics {
    static constexpr bool asymmetric = true;
    static void light() {}
    static void heavy() { model::fence_all(); }
};

struct Symmetric : model::Atomics {
    static constexpr bool asymmetric = false;
    static void light(std::source_location where = std::source_location::current()) { fence(std::memory_order_seq_cst, where); }
    static void heavy(std::source_location where = std::source_location::current()) { fence(std::memory_order_seq_cst, where); }
};

// The owner comes `comes` times, and each of two visitors once.
template <class A, int comes, unsigned visitors>
struct Meeting {
    static constexpr unsigned threads = 1 + visitors;
    static constexpr bool may_sleep = false;
    static constexpr bool fences_all = A::asymmetric;

    omp::BasicOwnerGate<A> gate;
    model::Lock visiting;
    model::Var<int> field;
    int changes = 0;

    void change() {
        field.set(field.get() + 1);
        ++changes;
    }

    void run(unsigned thread) {
        if (thread != 0) {
            visiting.lock();
            gate.close();
            A::heavy();
            if (gate.is_clear()) change();
            gate.open();
            visiting.unlock();
            return;
        }
        for (int i = 0; i < comes; ++i) {
            if (!gate.enter()) continue;
            change();
            gate.leave();
        }
    }

    void finish() {
        model::require(field.get() == changes, "a change is lost");
        model::require(gate.is_clear(), "the owner is said to be inside");
        model::require(gate.enter(), "the gate stays closed");
    }
};

}  // namespace

int main(int argc, char** argv) {
    model::Suite suite("owner_gate");
    suite.add<Meeting<Asymmetric, 2, 1>>("asymmetric");
    suite.add<Meeting<Asymmetric, 2, 2>>("asymmetric, two visitors");
    suite.add<Meeting<Symmetric, 2, 1>>("symmetric");
    constexpr const char* fences = "the visitors' heavy fences order them, too";
    suite.unnoticed("try_lock", model::Op::compare, std::memory_order_acquire, fences);
    suite.unnoticed("lock", model::Op::modify, std::memory_order_acquire, fences);
    return suite.run(argc, argv);
}
