// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every ready fiber runs: a carrier that queues one and then spins until that has run comes to its end, since the monitor is
// awake or woken, takes the fiber, and orders a lender to run it. And whoever wants a look, sooner or later, gets one. The
// watch is the library's; the other steps are those of relief.cpp, published_here, identity.cpp (lend_identity) and habit.cpp
// (suspect, weigh); each look of the monitor finds every carrier stuck, as in chaos mode, and each suspicion takes two looks
// (docs/protocols/relief.md).

#include "base/model/model.hpp"
#include "fiber/watch.hpp"

using namespace gossamer;

namespace {

constexpr unsigned lent = 1, ordered = 2;  // a lender's word

// A fiber that lies in a queue at most once. `message` is what it finds when it goes on.
class Ready {
public:
    void push(int message) {
        message_.set(message);
        word_.store(1, std::memory_order_release);
    }
    bool visible() const { return word_.load(std::memory_order_relaxed) == 1; }
    bool take() {
        unsigned there = 1;
        return visible() && word_.compare_exchange_strong(there, 0, std::memory_order_acquire, std::memory_order_relaxed);
    }
    int message() const { return message_.get(); }

private:
    model::Atomic<unsigned> word_{0};
    model::Var<int> message_;
};

template <unsigned fibers, bool suspects = false>
struct Base {
    static constexpr bool may_sleep = true;

    enum : std::uint64_t { looked = 1, woken_up, idle, dozed };  // all that a thread remembers

    struct Lender {
        model::Atomic<unsigned> word{lent};
        model::Var<int> item{-1};
        model::Token called;
    };

    fiber::BasicWatch<model::Atomics> watch;
    model::Token woken;
    Ready ready[fibers];
    Lender lender[fibers];  // the fiber's own pthread
    model::Token has_run;   // one for each fiber that has
    model::Atomic<unsigned> suspected{0};
    model::Var<int> reason{0};  // goes with it
    model::Var<int> weighed{0};
    model::Atomic<unsigned> wanted{0};  // a look of the upper layer
    model::Var<int> look_at{0};         // goes with it
    model::Token looked_at;

    Base() { watch.wake(); }

    // --- A carrier.

    void queue(unsigned fiber, int message) {
        ready[fiber].push(message);
        model::Atomics::fence(std::memory_order_seq_cst);  // published_here
        if (!watch.looks() && watch.wake() == watch.asleep) woken.give();
    }

    void run(unsigned fiber, int message) {
        model::require(ready[fiber].message() == message, "a fiber went on without what it waited for");
        has_run.give();
    }

    // look_later
    void want_look() {
        look_at.set(1);
        wanted.store(1, std::memory_order_release);
        model::Atomics::fence(std::memory_order_seq_cst);
        if (!watch.will_look() && watch.rouse() == watch.asleep) woken.give();
    }

    // --- The monitor.

    bool look_as_wanted() {
        if (wanted.exchange(0, std::memory_order_acquire) == 0) return false;
        model::require(look_at.get() != 0, "a look at nothing");
        looked_at.give();
        return true;
    }

    bool queued() const {
        for (const Ready& each : ready) {
            if (each.visible()) return true;
        }
        return false;
    }

    // True: it cannot be told yet.
    bool weigh() {
        if (suspected.load(std::memory_order_acquire) == 0) return false;
        model::require(reason.get() != 0, "a suspicion without a reason");
        weighed.set(weighed.get() + 1);
        if (weighed.get() < 2) return true;
        weighed.set(0);
        suspected.store(0, std::memory_order_release);
        return false;
    }

    void look() {
        if constexpr (suspects) weigh();
        look_as_wanted();
        for (unsigned fiber = 0; fiber < fibers; ++fiber) {
            if (!ready[fiber].take()) continue;
            lender[fiber].item.set(static_cast<int>(fiber));
            lender[fiber].word.store(ordered, std::memory_order_release);
            lender[fiber].called.give();
        }
        model::forget(looked);
    }

    void monitor() {
        for (;;) {
            model::forget(woken_up);
            look();
            rest();
        }
    }

    // A time-out may come at any moment, so nothing is waited for while it dozes.
    void rest() {
        model::require(watch.fall_asleep(), "somebody else has put the monitor to sleep");
        do {
            bool undecided = false;
            if constexpr (suspects) undecided = weigh();
            const bool asked = look_as_wanted();
            if (queued() || undecided) {
                if (!watch.turn_back()) woken.take();  // it is awake already: the call that woke it is spent here
            } else if (!watch.dozes()) {
                model::forget(idle);
                while (watch.sleeps()) woken.take();
            } else if (!asked) {
                watch.stop_dozing();
            }
            model::forget(dozed);
        } while (watch.rests());
    }

    // --- A lender: what it runs may be ordered of it again before it is back.

    template <class Message>
    void lend(unsigned fiber, Message message) {
        for (int round = 0;; ++round) {
            Lender& mine = lender[fiber];
            while (mine.word.load(std::memory_order_acquire) == lent) mine.called.take();
            mine.word.store(lent, std::memory_order_relaxed);
            model::require(mine.item.get() == static_cast<int>(fiber), "a lender was ordered to run something else");
            run(fiber, message(round));
            if constexpr (suspects) suspect();
        }
    }

    void suspect() {
        if (suspected.load(std::memory_order_acquire) != 0) return;
        reason.set(1);
        suspected.store(1, std::memory_order_release);
        model::Atomics::fence(std::memory_order_seq_cst);
        if (!watch.looks() && watch.wake() == watch.asleep) woken.give();
    }

    void finish() {
        model::require(model::finished(0), "a carrier spins for ever over a fiber that is ready");
        model::require(!queued(), "a fiber is still queued");
        model::require(has_run.left() == 0, "a fiber has run twice");
        if constexpr (suspects)
            model::require(suspected.load(std::memory_order_relaxed) == 0, "the monitor sleeps over a suspicion");
        model::require(wanted.load(std::memory_order_relaxed) == 0, "a look that was wanted has not come");
    }
};

// The same fiber becomes ready again and again behind a carrier that spins.
struct Again : Base<1> {
    static constexpr unsigned threads = 3;

    void run(unsigned thread) {
        if (thread == 1) return monitor();
        if (thread == 2) return lend(0, [](int round) { return round + 1; });
        for (int message = 1; message <= 3; ++message) {
            queue(0, message);
            has_run.take();
        }
    }
    using Base::run;
};

// A hand-made barrier: none of them gets on before all have run.
struct Both : Base<2> {
    static constexpr unsigned threads = 4;
    static constexpr unsigned preemptions = 3;

    void run(unsigned thread) {
        if (thread == 1) return monitor();
        if (thread != 0) return lend(thread - 2, [](int) { return 1; });
        queue(0, 1);
        queue(1, 1);
        has_run.take();
        has_run.take();
    }
    using Base::run;
};

// A carrier that comes to a scheduling point at last, and takes what the monitor has left.
struct Late : Base<1> {
    static constexpr unsigned threads = 3;

    void run(unsigned thread) {
        if (thread == 1) return monitor();
        if (thread == 2) return lend(0, [](int) { return 1; });
        queue(0, 1);
        if (ready[0].take()) Base::run(0, 1);
        has_run.take();
    }
    using Base::run;
};

// The second suspicion may come before the first is decided; then the lender drops it.
struct Doubt : Base<1, true> {
    static constexpr unsigned threads = 3;
    static constexpr unsigned preemptions = 3;

    void run(unsigned thread) {
        if (thread == 1) return monitor();
        if (thread == 2) return lend(0, [](int round) { return round + 1; });
        for (int message = 1; message <= 2; ++message) {
            queue(0, message);
            has_run.take();
        }
    }
    using Base::run;
};

// One carrier wants looks, while another queues a fiber and spins for it.
struct Wanted : Base<1> {
    static constexpr unsigned threads = 4;
    static constexpr unsigned preemptions = 2;

    void run(unsigned thread) {
        if (thread == 1) return monitor();
        if (thread == 2) return lend(0, [](int) { return 1; });
        if (thread == 3) {
            want_look();
            looked_at.take();
            return want_look();
        }
        queue(0, 1);
        has_run.take();
    }
    using Base::run;
};

}  // namespace

int main(int argc, char** argv) {
    model::Suite suite("relief");
    suite.add<Again>("again");
    suite.add<Both>("both");
    suite.add<Late>("late");
    suite.add<Doubt>("doubt");
    suite.add<Wanted>("wanted");
    constexpr std::string_view by_token =
        "the monitor sleeps on a token here, which orders as much; it may find a futex's word changed";
    suite.unnoticed("wake", model::Op::compare, std::memory_order_release, by_token);
    suite.unnoticed("rouse", model::Op::compare, std::memory_order_release, by_token);
    suite.unnoticed("sleeps", model::Op::load, std::memory_order_acquire, by_token);
    return suite.run(argc, argv);
}
