// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each iteration of a loop whose threads take a few at once is run exactly once, and one that waits for a later one, which its
// own thread or another one holds, comes to its end.

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

/// The last thread asks for `first` iterations at once, and for as many again; the others ask for one. All take what siblings
/// hold, and leave the last one to the end, by the steps of ahead.cpp. The iterations from `waiter` on, if there is one, wait
/// each for the next one.
template <unsigned count, unsigned first, unsigned thread_count, unsigned waiter>
struct Loop {
    static constexpr unsigned threads = thread_count;
    static constexpr bool may_sleep = false;
    static constexpr bool fences_all = true;
    static constexpr unsigned preemptions = threads > 2 ? 2 : 3;
    static constexpr unsigned slot = 3;

    using Held = omp::BasicHeldChunks<Fences, model::Lock>;

    omp::BasicHolders<model::Atomics> holders;
    Held held[threads];
    model::Atomic<std::uint64_t> next{0};
    model::Token is_done[count];
    model::Token settled[threads];  // for each watcher: some sibling has taken chunks, or begun one
    int taken[count] = {};

    void run(unsigned me) {
        bool counted = false;
        std::uint64_t iteration = 0;
        while (take(me, counted, iteration)) {
            execute(iteration);
            if (iteration + 1 == count) break;
        }
        if (counted) holders.renounce(held[me], counted);
        settle(me);
    }

    bool take(unsigned me, bool& counted, std::uint64_t& iteration) {
        if (counted && held[me].take(1, iteration)) {
            settle(me);
            return iteration + 1 != count || begin_last(me, counted, iteration);
        }
        const unsigned at_once = me + 1 == threads ? first : 1;
        if (at_once > 1) holders.announce(held[me], slot, counted);
        iteration = next.fetch_add(at_once, std::memory_order_acq_rel);
        if (iteration < count) {
            const std::uint64_t behind = (count < iteration + at_once ? count : iteration + at_once) - iteration - 1;
            if (at_once > 1) held[me].hold(slot, iteration + 1, static_cast<std::uint32_t>(behind));
            settle(me);
            return iteration + 1 != count || begin_last(me, counted, iteration);
        }
        if (counted) holders.renounce(held[me], counted);
        settle(me);
        return holders.any_other(false) && watch(me, iteration);
    }

    bool begin_last(unsigned me, bool& counted, std::uint64_t& iteration) {
        if (!holders.any_other(counted)) return true;
        holders.announce(held[me], slot, counted);
        held[me].hold(slot, iteration, 1);
        settle(me);
        return watch(me, iteration) || held[me].take(1, iteration);
    }

    bool watch(unsigned me, std::uint64_t& iteration) {
        const auto held_of = [&](std::uint32_t number) { return number == me ? nullptr : &held[number]; };
        const Held* seen = nullptr;
        std::uint64_t word_seen = 0;
        // A thief comes at once, but only once for each word.
        const auto leaves_behind = [&](const Held& by, std::uint64_t word) {
            const bool again = &by == seen && word == word_seen;
            seen = &by;
            word_seen = word;
            if (!again && by.left(word, slot) != Held::some) return true;
            settled[me].take();
            return false;
        };
        return omp::take_from_siblings(threads, slot, 1, held_of, leaves_behind, iteration);
    }

    void settle(unsigned me) {
        for (unsigned watcher = 0; watcher < threads; ++watcher) {
            if (watcher != me) settled[watcher].give();
        }
    }

    void execute(std::uint64_t iteration) {
        model::require(iteration < count, "an iteration that is not there");
        if (iteration >= count) return;
        ++taken[iteration];
        if (iteration >= waiter && iteration + 1 < count) is_done[iteration + 1].take();
        is_done[iteration].give();
    }

    void finish() {
        for (const int times : taken) model::require(times == 1, "an iteration was not run exactly once");
    }
};

}  // namespace

int main(int argc, char** argv) {
    model::Suite suite("ahead");
    constexpr unsigned none = ~0U;
    suite.add<Loop<2, 2, 2, none>>("two iterations");
    suite.add<Loop<3, 3, 2, none>>("three iterations");
    suite.add<Loop<3, 2, 2, none>>("the last one beside two");
    suite.add<Loop<3, 3, 3, none>>("three threads");
    suite.add<Loop<2, 2, 2, 0>>("the first waits for the second");
    suite.add<Loop<4, 4, 2, 2>>("the third waits for the fourth");
    suite.add<Loop<5, 5, 2, 3>>("the fourth waits for the fifth");
    suite.add<Loop<3, 2, 3, 0>>("the first waits for the second, which waits for the last");
    return suite.run(argc, argv);
}
