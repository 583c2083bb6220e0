// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every task that is pushed is taken exactly once, complete, by its owner or by a thief, with the asymmetric fence and with
// two ordinary ones; and one who goes to sleep is seen by a producer, or sees what that one has pushed.

#include "base/model/lock.hpp"
#include "base/model/model.hpp"
#include "omp/task/task_deque.hpp"

using namespace gossamer;

namespace {

struct Asymmetric : model::Atomics {
    static constexpr bool asymmetric = true;
    static void light() {}
    static void order() {}
    static std::uint32_t looks() { return 1; }
    static void pause() {}
    static constexpr std::int64_t part = 4;
    static constexpr std::uint32_t pops_alone = 1;
    static void heavy() { model::fence_all(); }
};

// Thieves take half.
struct Greedy : Asymmetric {
    static constexpr std::int64_t part = 2;
};

struct Symmetric : model::Atomics {
    static constexpr bool asymmetric = false;
    static void light(std::source_location where = std::source_location::current()) { fence(std::memory_order_seq_cst, where); }
    static void order() {}
    static std::uint32_t looks() { return 0; }
    static void pause() {}
    static constexpr std::int64_t part = 4;
    static constexpr std::uint32_t pops_alone = 0;
    static void heavy(std::source_location where = std::source_location::current()) { fence(std::memory_order_seq_cst, where); }
};

struct Item {
    model::Var<int> text;
    model::Atomic<int> kin{0};
    int taken = 0;
};

template <class A, int items, int capacity>
struct Base {
    static constexpr bool may_sleep = false;
    static constexpr bool fences_all = A::asymmetric;
    using Deque = omp::BasicTaskDeque<Item*, A, model::Lock>;

    typename Deque::Slot slots[capacity] = {};
    Deque deque{slots, capacity, A::asymmetric ? capacity - 1 : -1};
    Item item[items];
    int pushed = 0;

    bool push() {
        item[pushed].text.set(pushed + 1);
        item[pushed].kin.store(1, std::memory_order_relaxed);
        if (deque.pushes_quickly(deque.bottom())) {
            deque.push_quickly(deque.bottom(), &item[pushed]);
        } else if (!deque.push(&item[pushed])) {
            return false;
        }
        ++pushed;
        return true;
    }

    void take(Item* got) {
        if (got == nullptr) return;
        model::require(got->text.get() == got - item + 1, "an item came without its text");
        model::require(got->taken++ == 0, "an item was taken twice");
    }

    void pop() {
        Item* got;
        std::int64_t index;
        if (!deque.is_quick() || !deque.pop_quickly(0, got, index)) got = deque.pop(0, [] {});
        take(got);
    }

    void steal(std::uint32_t most, const Item* refused = nullptr) {
        Item* out[items];
        int kin = 0;
        const std::uint32_t count = deque.steal(
            out, most,
            [&](const Item* at) {
                kin = at->kin.load(std::memory_order_relaxed);
                return at != refused;
            },
            nullptr);
        model::require(count == 0 || kin == 1, "an item was accepted for what it was not");
        for (std::uint32_t i = 0; i < count; ++i) take(out[i]);
    }

    void finish() {
        while (Item* const left = deque.pop(0, [] {})) take(left);
        for (int i = 0; i < pushed; ++i) model::require(item[i].taken == 1, "an item was lost");
    }
};

// The owner and a thief meet at the last items.
template <class A>
struct LastItems : Base<A, 2, 2> {
    static constexpr unsigned threads = 2;

    void run(unsigned thread) {
        if (thread != 0) {
            this->steal(2);
            return this->steal(2);
        }
        this->push();
        this->push();
        this->pop();
        this->pop();
    }
};

// The owner answers a request, and then another one with less to give; and pops what it has not given.
template <class A>
struct InARow : Base<A, 4, 4> {
    static constexpr unsigned threads = 2;

    void run(unsigned thread) {
        if (thread != 0) {
            this->steal(4);
            return this->steal(4);
        }
        for (int i = 0; i < 4; ++i) this->push();
        this->deque.answer_thief();
        this->pop();
        this->pop();
    }
};

// A thief leaves an item that the owner has granted, or that it has claimed.
template <class A>
struct Refused : Base<A, 4, 4> {
    static constexpr unsigned threads = 2;

    void run(unsigned thread) {
        if (thread != 0) return this->steal(4, &this->item[1]);
        for (int i = 0; i < 4; ++i) this->push();
        this->deque.answer_thief();
        for (int i = 0; i < 3; ++i) this->pop();
    }
};

// Two thieves, one of which may find the other at it.
template <class A>
struct TwoThieves : Base<A, 2, 2> {
    static constexpr unsigned threads = 3;

    void run(unsigned thread) {
        if (thread != 0) return this->steal(1);
        this->push();
        this->push();
        this->pop();
    }
};

// What the owner puts back, because a thief claims it who then finds nothing, the other thief takes.
template <class A>
struct PutBack : Base<A, 1, 1> {
    static constexpr unsigned threads = 3;

    void run(unsigned thread) {
        if (thread != 0) return this->steal(1);
        this->push();
        this->pop();
    }
};

// One slot: each push needs the one before it to have been taken.
template <class A>
struct Wrap : Base<A, 3, 1> {
    static constexpr unsigned threads = 2;

    void run(unsigned thread) {
        if (thread != 0) {
            this->steal(1);
            return this->steal(1);
        }
        this->push();
        this->push();
        this->pop();
        this->push();
    }
};

// A thief goes to sleep while the owner pushes: it announces itself, then looks; the owner pushes, then looks.
template <class A>
struct Sleep : Base<A, 1, 1> {
    static constexpr unsigned threads = 2;

    model::Atomic<int> sleepers{0};
    model::Token awake;

    void run(unsigned thread) {
        if (thread == 0) {
            this->push();
            A::light();
            if (sleepers.load(std::memory_order_relaxed) != 0) awake.give();
            return;
        }
        sleepers.store(1, std::memory_order_relaxed);
        A::heavy();
        if (this->deque.size_hint() == 0) awake.take();
        this->steal(1);
    }
};

}  // namespace

int main(int argc, char** argv) {
    model::Suite suite("task_deque");
    suite.add<LastItems<Asymmetric>>("last items");
    suite.add<InARow<Greedy>>("in a row");
    suite.add<Refused<Asymmetric>>("refused");
    suite.add<TwoThieves<Asymmetric>>("two thieves");
    suite.add<PutBack<Asymmetric>>("put back");
    suite.add<Wrap<Asymmetric>>("wrap");
    suite.add<Sleep<Asymmetric>>("sleep");
    suite.add<LastItems<Symmetric>>("last items, two fences");
    suite.add<Refused<Symmetric>>("refused, two fences");
    suite.add<TwoThieves<Symmetric>>("two thieves, two fences");
    suite.add<Sleep<Symmetric>>("sleep, two fences");
    using std::memory_order_acquire, std::memory_order_release;
    suite.unnoticed("push", model::Op::load, memory_order_acquire,
                    "against loads from the future only: a thief's look at the slot behind the push that reuses it");
    suite.unnoticed("steal", model::Op::store, memory_order_release, "pairs with the load of push");
    return suite.run(argc, argv);
}
