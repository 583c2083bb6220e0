// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each iteration of a loop whose threads take a few at once is run exactly once, and one that waits for a later one, which its own
// thread holds, comes to its end.

#include "base/model/lock.hpp"
#include "base/model/model.hpp"
#include "omp/work/ahead.hpp"
#include "omp/work/held.hpp"

using namespace gossamer;

namespace {

struct Fences : model::Atomics {
    static void light() {}
    static void heavy() { model::fence_all(); }
    static void pause() {}
};

/// Thread 0 asks for `count` iterations at once, and for as many again; the others ask for one, and then watch thread 0 and take
/// what it holds, by the steps of ahead.cpp. Iteration `waiter`, if there is one, waits for the last one.
template <unsigned count, unsigned watchers, unsigned waiter>
struct Loop {
    static constexpr unsigned threads = 1 + watchers;
    static constexpr bool may_sleep = false;
    static constexpr bool fences_all = true;
    static constexpr unsigned preemptions = watchers > 1 ? 2 : count > 3 ? 3 : model::Machine::unbounded;
    static constexpr unsigned slot = 3;

    omp::BasicHolders<model::Atomics> holders;
    omp::BasicHeldChunks<Fences, model::Lock> held;
    model::Atomic<std::uint64_t> next{0};
    model::Token last_is_done;
    model::Token settled[watchers];  // thread 0 has taken some
    int taken[count] = {};

    void run(unsigned thread) { thread == 0 ? hold() : watch(thread - 1); }

    void hold() {
        bool counted = false;
        std::uint64_t begin = 0;
        holders.announce(held, slot, counted);
        while ((begin = next.fetch_add(count, std::memory_order_acq_rel)) < count) {
            held.hold(slot, begin + 1, static_cast<std::uint32_t>(count - begin - 1));
            settle();
            execute(begin);
            for (std::uint64_t first = 0; held.take(1, first);) {
                settle();
                execute(first);
            }
            holders.announce(held, slot, counted);
        }
        holders.renounce(held, counted);
        settle();
        model::require(!counted, "counted at the end");
    }

    void settle() {
        for (model::Token& each : settled) each.give();
    }

    void watch(unsigned me) {
        for (std::uint64_t begin; (begin = next.fetch_add(1, std::memory_order_acq_rel)) < count;) execute(begin);
        if (!holders.any_other(false)) return;
        for (;;) {
            const auto word = held.look();
            const std::uint32_t left = held.left(word, slot);
            std::uint64_t first = 0;
            if (left == 0) return;
            if (left != held.some && held.steal(word, 1, first)) {
                execute(first);
            } else {
                settled[me].take();
            }
        }
    }

    void execute(std::uint64_t iteration) {
        model::require(iteration < count, "an iteration that is not there");
        if (iteration >= count) return;
        ++taken[iteration];
        if (waiter < count && iteration == waiter) last_is_done.take();
        if (waiter < count && iteration == count - 1) last_is_done.give();
    }

    void finish() {
        for (const int times : taken) model::require(times == 1, "an iteration was not run exactly once");
    }
};

}  // namespace

int main(int argc, char** argv) {
    model::Suite suite("ahead");
    constexpr unsigned none = ~0U;
    suite.add<Loop<2, 1, none>>("two iterations");
    suite.add<Loop<3, 1, none>>("three iterations");
    suite.add<Loop<3, 2, none>>("two watchers");
    suite.add<Loop<2, 1, 0>>("the first waits for the second");
    suite.add<Loop<4, 1, 0>>("the first waits for the fourth");
    suite.add<Loop<4, 1, 2>>("the third waits for the fourth");
    suite.add<Loop<5, 1, 3>>("the fourth waits for the fifth");
    suite.unnoticed("hold", model::Op::modify, std::memory_order_acq_rel, "this thread watches nobody, so it need not acquire");
    suite.unnoticed("watch", model::Op::modify, std::memory_order_acq_rel, "this thread holds nothing, so it need not release");
    return suite.run(argc, argv);
}
