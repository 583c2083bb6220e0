// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every pushed item is taken exactly once, complete, by whichever thread, and however the ring grows or wraps.

#include "base/model/model.hpp"
#include "fiber/deque.hpp"

using namespace gossamer;

namespace {

struct Item {
    model::Var<int> text;
    int taken = 0;
};

/// What the scenarios share: a deque whose ring starts with a few slots, and items to push.
template <int items, std::int64_t capacity>
struct Base {
    static constexpr bool may_sleep = false;

    fiber::Deque<Item*, model::Atomics, capacity> deque;
    Item item[items];

    void push(int number) {
        item[number].text.set(number + 1);
        model::require(deque.push(&item[number]), "no memory");
    }

    void take(Item* got) {
        if (got == nullptr) return;
        model::require(got->text.get() == got - item + 1, "an item came without its text");
        model::require(got->taken++ == 0, "an item was taken twice");
    }

    void finish() {
        while (Item* const left = deque.pop()) take(left);
        for (const Item& each : item) model::require(each.taken == 1, "an item was lost");
    }
};

/// The owner and two thieves meet at the last items.
struct LastItems : Base<2, 2> {
    static constexpr unsigned threads = 3;

    void run(unsigned thread) {
        if (thread != 0) return take(deque.steal());
        push(0);
        push(1);
        take(deque.pop());
        take(deque.pop());
    }
};

/// The ring doubles under the eyes of the thieves, or wraps if they have been quick.
struct Growth : Base<3, 2> {
    static constexpr unsigned threads = 3;

    void run(unsigned thread) {
        if (thread != 0) return take(deque.steal());
        push(0);
        push(1);
        push(2);
        take(deque.pop());
    }
};

/// One slot: each push needs the one before it to have been stolen, or grows; one thief steals more than
/// once.
struct Wrap : Base<3, 1> {
    static constexpr unsigned threads = 2;

    void run(unsigned thread) {
        if (thread == 0) {
            push(0);
            push(1);
            take(deque.pop());
            push(2);
        } else {
            take(deque.steal());
            take(deque.steal());
        }
    }
};

/// An index is used again: the owner pops and pushes at the place that a thief is looking at.
struct PopAndPush : Base<3, 2> {
    static constexpr unsigned threads = 3;

    void run(unsigned thread) {
        if (thread != 0) return take(deque.steal());
        push(0);
        push(1);
        take(deque.pop());
        push(2);
        take(deque.pop());
    }
};

/// Thieves look first and remove later; the owner holds on to what it peeked.
struct PeekAndRemove : Base<2, 2> {
    static constexpr unsigned threads = 3;

    void run(unsigned thread) {
        if (thread != 0) {
            const auto seen = deque.peek_top();
            if (seen.item != nullptr && deque.remove_top(seen)) take(seen.item);
            return;
        }
        push(0);
        push(1);
        for (int i = 0; i < 2; ++i) {
            Item* const seen = deque.peek();
            Item* const got = deque.pop();
            model::require(got == nullptr || got == seen, "pop returned something else than peek");
            take(got);
        }
    }
};

}  // namespace

int main(int argc, char** argv) {
    model::Suite suite("deque");
    suite.add<LastItems>("last items");
    suite.add<Growth>("growth");
    suite.add<Wrap>("wrap");
    suite.add<PopAndPush>("pop and push");
    suite.add<PeekAndRemove>("peek and remove");
    constexpr std::string_view future =
        "the machine has no loads from the future: a thief that reads a slot after it gave the index away";
    suite.unnoticed("push", model::Op::load, std::memory_order_acquire, future);
    suite.unnoticed("remove_top", model::Op::compare, std::memory_order_release, future);
    return suite.run(argc, argv);
}
