// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A range with numbers left lies in a deque or is in a holder's hands, also where an item of its last arming lies in a deque,
// and a thief has found the range empty there and is about to remove that item.
//
// The steps are those of run_range (switch.cpp), next_local and steal_from (queues.cpp), and push_range (ranges.cpp).

#include "base/model/model.hpp"
#include "fiber/deque.hpp"
#include "fiber/span.hpp"

using namespace gossamer;

namespace {

constexpr unsigned width = 2;

struct Range {
    fiber::BasicSpan<model::Atomics> span;
    model::Var<unsigned> region;  // plain fields around the span
    int taken[width] = {};
};

using Deque = fiber::Deque<Range*, model::Atomics, 2>;

// The calls never return, as if number 0 waited for number 1: after each the carrier looks for work anew.
struct Base {
    static constexpr bool may_sleep = false;

    Range range;
    Deque old_one;  // where the range lies from its last arming

    Base() { model::require(old_one.push(&range), "no memory"); }

    void arm() {
        range.region.set(1);
        range.span.arm(0, width);
    }

    // `stays`: the range was found in `mine` with numbers left.
    void hold(Deque& mine, Range& held, bool stays) {
        std::uint32_t number;
        if (!held.span.take_first(number)) return;
        if (!held.span.empty() && !stays) model::require(mine.push(&held), "no memory");
        call(held, number);
    }

    static void call(Range& held, unsigned number) {
        model::require(held.region.get() == 1, "a number of a region that has not begun");
        ++held.taken[number];
    }

    void run_local(Deque& mine) {
        while (Range* const next = mine.peek()) {
            next->span.empty() ? void(mine.pop()) : hold(mine, *next, true);
        }
    }

    void steal_from(Deque& victim, Deque& mine) {
        for (;;) {
            const auto top = victim.peek_top();
            if (top.item == nullptr) return;
            std::uint32_t lo, hi;
            if (top.item->span.take_half(lo, hi)) {
                for (; lo < hi; ++lo) call(*top.item, lo);
            } else if (victim.remove_top(top) && !top.item->span.empty()) {
                hold(mine, *top.item, false);
                return;
            }
        }
    }

    // Whoever looks for work from now on.
    void look_everywhere(Deque& deque) {
        while (Range* const found = deque.steal()) {
            for (std::uint32_t number; found->span.take_first(number);) call(*found, number);
        }
    }

    void finish() {
        look_everywhere(old_one);
        for (const int times : range.taken) model::require(times == 1, "a number was lost, or taken twice");
    }
};

// The carrier in whose deque the old item lies arms the range, as a part that it has stolen elsewhere. Its call waits at once.
struct ArmedWhereItLies : Base {
    static constexpr unsigned threads = 2;

    Deque other;

    void run(unsigned thread) {
        if (thread != 0) return steal_from(old_one, other);
        arm();
        hold(old_one, range, false);
    }

    void finish() {
        look_everywhere(other);
        Base::finish();
    }
};

// Another carrier arms it; the carrier in whose deque the old item lies finds that item with numbers left.
struct ArmedElsewhere : Base {
    static constexpr unsigned threads = 3;

    Deque other, third;

    void run(unsigned thread) {
        if (thread == 0) {
            arm();
            hold(other, range, false);
        } else if (thread == 1) {
            run_local(old_one);
        } else {
            steal_from(old_one, third);
        }
    }

    void finish() {
        look_everywhere(other);
        look_everywhere(third);
        Base::finish();
    }
};

}  // namespace

int main(int argc, char** argv) {
    model::Suite suite("range");
    suite.add<ArmedWhereItLies>("armed where it lies");
    suite.add<ArmedElsewhere>("armed elsewhere");
    // Here nothing rests on them: an item that is found late, or twice, is a range of which the numbers are taken one by one.
    constexpr std::string_view of_the_deque = "deque_model shows what it is for";
    suite.unnoticed("push", model::Op::load, std::memory_order_acquire, of_the_deque);
    suite.unnoticed("pop_seen", model::Op::store, std::memory_order_release, of_the_deque);
    suite.unnoticed("pop_seen", model::Op::fence, std::memory_order_seq_cst, of_the_deque);
    suite.unnoticed("remove_top", model::Op::compare, std::memory_order_release, of_the_deque);
    suite.unnoticed("look", model::Op::fence, std::memory_order_seq_cst, of_the_deque);
    suite.unnoticed("look", model::Op::load, std::memory_order_acquire, of_the_deque);
    suite.unnoticed("grow", model::Op::store, std::memory_order_release, of_the_deque);
    return suite.run(argc, argv);
}
