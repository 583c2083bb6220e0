// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// No home waits for the threads that it has started while tasks are active: it would execute none. The steps are those of
// await_share (member.cpp), await_zero and Awaits (fiber/home.cpp, home.hpp), and of wake_for_task and disturb_starter
// (task/wake.cpp) where there is no other bystander. What the home does once it looks for tasks is in task_word_model.cpp. No
// second look comes here.

#include "base/model/model.hpp"
#include "omp/task/task_word.hpp"

using namespace gossamer;

namespace {

template <unsigned pushes>
struct Share {
    static constexpr bool may_sleep = true;
    static constexpr unsigned threads = 2;

    struct Thread {};
    using Word = omp::BasicTaskWord<Thread, model::Atomics>;
    enum : unsigned { no_wait, share, nothing };  // Fiber::awaited

    Word word;
    model::Atomic<unsigned> awaited{no_wait};
    model::Token call;       // call_home
    model::Var<int> pushed;  // what the home is disturbed for
    bool looks = false;

    Share() { call.give(); }  // the home is called for other reasons, too

    bool active() const { return word.counts(std::memory_order_relaxed).active(); }

    void home() {
        while (!active()) {
            awaited.store(share, std::memory_order_relaxed);
            model::Atomics::fence(std::memory_order_seq_cst);
            if (active()) break;
            do {
                call.take();
            } while (awaited.load(std::memory_order_acquire) != nothing);
            model::require(pushed.get() != 0, "the home does not see what it was disturbed for");
        }
        awaited.store(no_wait, std::memory_order_relaxed);
        looks = true;
    }

    bool disturb() {
        unsigned seen = awaited.load(std::memory_order_relaxed);
        if (seen != share) return false;
        if (!awaited.compare_exchange_strong(seen, nothing, std::memory_order_release, std::memory_order_relaxed)) return false;
        call.give();
        return true;
    }

    void push() {
        omp::TaskCounts counts = word.after_push();
        if (!counts.active()) {
            counts = word.activate();
            model::Atomics::fence(std::memory_order_seq_cst);  // request_second_look
        }
        if (!counts.maybe() || disturb()) return;
        word.nobody_may();
        if (disturb()) word.somebody_may(std::memory_order_relaxed);
    }

    void run(unsigned number) {
        if (number == 0) return home();
        pushed.set(1);
        for (unsigned i = 0; i < pushes; ++i) push();
    }
    void finish() { model::require(looks, "a home waits for its share, and tasks are active"); }
};

}  // namespace

int main(int argc, char** argv) {
    model::Suite suite("share");
    suite.add<Share<1>>("one push");
    suite.add<Share<2>>("two pushes");
    suite.unnoticed("activate", model::Op::modify, std::memory_order_seq_cst,
                    "request_second_look fences behind it; it pairs with threads that sleep at the barrier or the join");
    suite.unnoticed("nobody_may", model::Op::modify, std::memory_order_seq_cst,
                    "a home that begins to wait later than that sees that tasks are active");
    suite.unnoticed("disturb", model::Op::compare, std::memory_order_release,
                    "whoever makes tasks active fences before it; only another thread that pushes then does not");
    return suite.run(argc, argv);
}
