// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A wanted home runs, whichever thread spins meanwhile, and on one native thread at a time: left for a fiber that spins until
// the home has served its order, and may have given that order itself; relieved, and coming home; left by a worker that makes
// way, for a root that comes to its join or for the monitor; left by one that sleeps, for the root. And a fiber runs for which
// a carrier was called that runs its home first. The place, the watch and the
// event count are the library's. The steps around them are restated from idle.cpp (search_and_park), switch.cpp (see_to),
// ready.cpp (call_home), late.cpp, roots.cpp and relief.cpp; each look of the monitor finds every carrier stuck, as in chaos
// mode. Lenders are in relief_model.cpp: here the monitor's thread runs what it takes.

#include "base/model/model.hpp"
#include "fiber/eventcount.hpp"
#include "fiber/home_place.hpp"
#include "fiber/watch.hpp"

using namespace gossamer;

namespace {

// The home of carrier 0, and what happens around it. A thread that goes to rest gives a tick: so much time passes.
struct Base {
    static constexpr unsigned preemptions = 2;
    static constexpr bool may_sleep = true;

    enum : std::uint64_t { looked = 1, on_its_own, off_its_own };  // all that a thread remembers

    fiber::BasicEventCount<2, model::Atomics> idle;
    fiber::BasicHomePlace<model::Atomics> place;
    fiber::BasicWatch<model::Atomics> watch;
    model::Atomic<unsigned> asleep[2];
    model::Atomic<unsigned> orders{0};
    model::Atomic<unsigned> taken{0};
    model::Var<int> context;    // of the home,
    model::Var<unsigned> what;  // and what it is ordered to do
    model::Token unparked[2];
    model::Token woken, tick, served, answered;

    Base() { watch.wake(); }

    // --- The home.

    // acquire pairs with order: what the home is to do.
    bool wanted() const { return orders.load(std::memory_order_acquire) != taken.load(std::memory_order_relaxed); }

    // From where it waits to where it waits again.
    void run_home() {
        context.set(1);  // no other thread may have it
        while (wanted()) {
            taken.store(taken.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
            model::require(what.get() == taken.load(std::memory_order_relaxed), "an order came without what is to be done");
            served.give();
            answered.give();
        }
    }

    void unpark(int carrier) {
        if (carrier < 0) return;
        asleep[carrier].store(0, std::memory_order_relaxed);
        unparked[carrier].give();
    }

    void note_work() {
        if (!watch.looks() && watch.wake() == watch.asleep) woken.give();
    }

    void order(unsigned number, bool left_to_others = false) {
        what.set(number);
        orders.store(number, std::memory_order_release);
        model::Atomics::fence(std::memory_order_seq_cst);  // call_home
        if (left_to_others && place.is_out()) {
            note_work();
        } else if (idle.claim(0)) {
            unpark(0);
        }
    }

    // --- Carrier 0.

    void leave_home() {
        place.leave();
        note_work();
    }

    // Until `find` has something to do.
    template <class Stay, class Find>
    void park(unsigned me, Stay stay, Find find) {
        idle.begin_search();
        while (!find()) {
            asleep[me].store(1, std::memory_order_relaxed);
            idle.announce(me);
            if (stay() && idle.cancel(me)) {
                asleep[me].store(0, std::memory_order_relaxed);
            } else {
                tick.give();
                unparked[me].take();
            }
        }
        unpark(idle.end_search(me));
    }

    // Something else runs first on the carrier than what else it was woken for, or than its home (tell_of_the_rest).
    void off_home() {
        model::Atomics::fence(std::memory_order_seq_cst);
        note_work();
    }

    // The home runs on its own native thread, and looks for work there.
    void be_home() {
        for (;;) {
            model::forget(on_its_own);
            run_home();
            park(0, [&] { return wanted(); }, [&] { return wanted(); });
        }
    }

    // The loop, on another fiber, with nothing at hand.
    void loop() {
        model::forget(off_its_own);
        while (!place.claim()) {
            const auto home_is_here = [&] { return place.is_out() && wanted(); };
            park(0, home_is_here, home_is_here);
            model::forget(off_its_own);
        }
        be_home();
    }

    // --- The monitor.

    // Something was taken away, has waited, and comes home.
    void come_home() {
        place.leave();
        if (idle.claim(0)) unpark(0);
        note_work();
    }

    template <class Look>
    void monitor(Look look) {
        for (;; woken.take()) {
            for (;;) {
                model::forget(looked);
                model::time_passes();
                if (look(true)) {
                    tick.take();
                    continue;
                }
                const bool sleeps = watch.fall_asleep();
                model::require(sleeps, "somebody else has put the monitor to sleep");
                if (!look(false)) break;
                if (!watch.turn_back()) woken.take();
            }
        }
    }

    // True: it must look again.
    bool look(bool relieve) {
        if (!place.is_out()) return false;
        if (!wanted()) return asleep[0].load(std::memory_order_relaxed) == 0;
        if (relieve && place.take()) {
            run_home();
            come_home();
        }
        return true;
    }

    void all_served(unsigned number) {
        model::require(orders.load(std::memory_order_relaxed) == number, "not every order was given");
        model::require(taken.load(std::memory_order_relaxed) == number, "a home that is wanted does not run");
    }
};

// The home's carrier runs something that spins until the home has served its order.
struct Behind : Base {
    static constexpr unsigned threads = 3;
    static constexpr unsigned preemptions = 3;

    void run(unsigned thread) {
        if (thread == 0) {
            leave_home();
            tick.give();
            served.take();
            loop();
        } else if (thread == 1) {
            monitor([this](bool relieve) { return look(relieve); });
        } else {
            order(1);
            tick.give();
        }
    }
    void finish() { all_served(1); }
};

// A fiber on the home's carrier gives the order itself, tells no thread, and spins until the home has served it, or comes to
// its next decision.
template <bool spins>
struct Beside : Behind {
    static constexpr unsigned threads = 2;

    void run(unsigned thread) {
        if (thread == 1) return Behind::run(thread);
        leave_home();
        what.set(1);
        orders.store(1, std::memory_order_release);  // as in order
        tick.give();
        if (spins) served.take();
        loop();
    }
};

// A home that was taken away is given its next order when it has served the last. Its carrier looks for work, or runs
// something that spins until the home has served that.
template <bool spins>
struct Back : Base {
    static constexpr unsigned threads = 3;

    Back() {
        place.leave();
        place.take();
        what.set(1);
        orders.store(1, std::memory_order_relaxed);
    }

    void run(unsigned thread) {
        if (thread == 0) {
            tick.give();
            if (spins) {
                served.take();
                served.take();
            }
            loop();
        } else if (thread == 1) {
            run_home();
            come_home();
            monitor([this](bool relieve) { return look(relieve); });
        } else {
            answered.take();
            order(2);
            tick.give();
        }
    }
    void finish() { all_served(2); }
};

// The same, where a fiber on the home's carrier gives the next order, and tells no thread.
template <bool spins>
struct BackBeside : Back<spins> {
    static constexpr unsigned threads = 2;

    void run(unsigned thread) {
        if (thread == 1) return Back<spins>::run(thread);
        this->answered.take();
        this->what.set(2);
        this->orders.store(2, std::memory_order_release);
        Back<spins>::run(thread);
    }
};

// A carrier parks with its home out, is woken for something else, and that spins until the home has served its order.
template <bool passed_on>
struct Other : Base {
    static constexpr unsigned threads = 3 + passed_on;
    static constexpr unsigned preemptions = passed_on ? 1 : 2;

    model::Atomic<unsigned> other{0};  // 1: queued
    model::Var<int> other_context;

    Other() {
        if (passed_on) idle.begin_search();
    }

    bool take_other() {
        unsigned queued = 1;
        return other.load(std::memory_order_relaxed) == 1 &&
               other.compare_exchange_strong(queued, 2, std::memory_order_acquire, std::memory_order_relaxed);
    }

    void run(unsigned thread) {
        if (thread == 0) {
            leave_home();
            const auto home_is_here = [this] { return place.is_out() && wanted(); };
            bool at_home = false;
            park(
                0, [&] { return home_is_here() || other.load(std::memory_order_relaxed) == 1; },
                [&] { return (at_home = home_is_here() && place.claim()) || take_other(); });
            if (at_home) be_home();
            other_context.set(2);
            off_home();
            tick.give();
            served.take();
            loop();
        } else if (thread == 1) {
            monitor([this](bool relieve) { return look(relieve) || other.load(std::memory_order_relaxed) == 1; });
        } else if (thread == 2) {
            other_context.set(1);
            other.store(1, std::memory_order_release);
            unpark(idle.publish());
            note_work();
            order(1);
            tick.give();
        } else {
            unpark(idle.end_search(1));  // it has found something
            tick.give();
        }
    }
    void finish() { all_served(1); }
};

// A carrier is called for a fiber, and before it is awake for its home too. That runs first, and spins until the fiber has run:
// the thread that queued the fiber has told nobody else of it.
struct Called : Base {
    static constexpr unsigned threads = 3;
    static constexpr unsigned preemptions = 3;

    model::Atomic<unsigned> fiber{0};  // 1: queued
    model::Var<int> fiber_context;
    model::Token fiber_ran;

    bool run_fiber() {
        unsigned queued = 1;
        if (fiber.load(std::memory_order_relaxed) != 1) return false;
        if (!fiber.compare_exchange_strong(queued, 2, std::memory_order_acquire, std::memory_order_relaxed)) return false;
        fiber_context.set(2);
        fiber_ran.give();
        return true;
    }

    void queue_fiber() {
        fiber_context.set(1);
        fiber.store(1, std::memory_order_release);
        model::Atomics::fence(std::memory_order_seq_cst);  // published
        if (idle.claim(0)) return unpark(0);
        unpark(idle.publish());
        note_work();
    }

    void run(unsigned thread) {
        if (thread == 0) {
            bool at_home = false;
            const auto queued = [this] { return fiber.load(std::memory_order_relaxed) == 1; };
            park(0, [&] { return wanted() || queued(); }, [&] { return (at_home = wanted()) || run_fiber(); });
            if (queued()) off_home();  // tell_of_the_rest
            if (at_home) {
                run_home();
                tick.give();
                fiber_ran.take();
            }
            be_home();
        } else if (thread == 1) {
            monitor([this](bool relieve) {
                if (fiber.load(std::memory_order_relaxed) != 1) return false;
                if (relieve) run_fiber();
                return true;
            });
        } else {
            queue_fiber();
            order(1);
            tick.give();
        }
    }
    void finish() {
        all_served(1);
        model::require(fiber.load(std::memory_order_relaxed) == 2, "a fiber that is queued does not run");
    }
};

// A worker makes way and leaves its home, for another worker or the root that orders it, or for the monitor.
struct LeaveHome : Base {
    model::Atomic<unsigned> done{0};  // orders that the home has served, for the root that waits for that

    bool left_home() const { return place.is_out() && idle.still_asleep(0) && wanted(); }

    void run_and_tell() {
        run_home();
        done.store(taken.load(std::memory_order_relaxed), std::memory_order_release);
        if (idle.claim(1)) unpark(1);
    }

    void make_way() {
        leave_home();
        for (;;) {
            model::forget(off_its_own);
            const auto home_is_here = [this] { return place.is_out() && wanted(); };
            park(0, home_is_here, [&] { return home_is_here() && place.claim(); });
            model::forget(on_its_own);
            run_and_tell();
            leave_home();
        }
    }

    // By carrier 1, until the home has served so many orders; 0: for ever.
    void join(unsigned number) {
        const auto over = [&] { return number != 0 && done.load(std::memory_order_acquire) == number; };
        for (;;) {
            bool at_home = false;
            park(1, [&] { return over() || left_home(); }, [&] { return over() || (at_home = left_home() && place.take()); });
            if (!at_home) return;
            run_and_tell();
            place.leave();
            if (wanted() && idle.claim(0)) unpark(0);
            note_work();
        }
    }
};

// The root that gives the orders comes to its join. No monitor is needed.
struct Joined : LeaveHome {
    static constexpr unsigned threads = 2;

    void run(unsigned thread) {
        if (thread == 0) return make_way();
        for (unsigned number = 1; number <= 2; ++number) {
            order(number, true);
            join(number);
            what.set(0);
        }
    }
    void finish() {
        model::require(model::finished(1), "a join waits for a home that nobody runs");
        all_served(2);
    }
};

// The thread that gives the order spins, or another carrier may take the home.
template <bool another>
struct Sent : LeaveHome {
    static constexpr unsigned threads = 3 + another;
    static constexpr unsigned preemptions = another ? 1 : 3;

    void run(unsigned thread) {
        if (thread == 0) {
            make_way();
        } else if (thread == 1) {
            monitor([this](bool) {
                if (!place.is_out()) return false;
                if (!wanted()) return asleep[0].load(std::memory_order_relaxed) == 0;
                if (idle.claim(0)) unpark(0);
                return true;
            });
        } else if (thread == 2) {
            order(1, true);
            tick.give();
        } else {
            join(0);
        }
    }
    void finish() { all_served(1); }
};

// A worker sleeps while its home lies out. The root that orders the home takes it at its join; it has woken the worker, or
// nobody. No monitor is needed. Restated from late.cpp.
template <bool alone>
struct Late : LeaveHome {
    static constexpr unsigned threads = 2;
    static constexpr unsigned preemptions = 3;

    void sleep_out() {
        place.leave();
        for (;;) {
            model::forget(off_its_own);
            const auto home_is_here = [this] { return place.is_out() && wanted(); };
            park(0, home_is_here, [&] { return home_is_here() && place.claim(); });
            model::forget(on_its_own);
            run_and_tell();
            place.leave();
        }
    }

    void take_late_home() {
        if (!place.is_out() || !wanted() || !place.take()) return;
        run_and_tell();
        place.leave();  // come_home
        if (wanted() && idle.claim(0)) unpark(0);
    }

    void run(unsigned thread) {
        if (thread == 0) return sleep_out();
        for (unsigned number = 1; number <= 2; ++number) {
            what.set(number);
            orders.store(number, std::memory_order_release);
            model::Atomics::fence(std::memory_order_seq_cst);  // wake_started
            if (!alone && idle.claim(0)) unpark(0);
            take_late_home();
            const auto over = [&] { return done.load(std::memory_order_acquire) == number; };
            park(1, over, over);
            what.set(0);
        }
    }
    void finish() {
        model::require(model::finished(1), "a join waits for a home that nobody runs");
        all_served(2);
    }
};

}  // namespace

int main(int argc, char** argv) {
    model::Suite suite("home");
    suite.add<Behind>("behind");
    suite.add<Beside<false>>("beside");
    suite.add<Beside<true>>("beside, spinning");
    suite.add<Back<false>>("back");
    suite.add<Back<true>>("back, behind");
    suite.add<BackBeside<false>>("back, beside");
    suite.add<BackBeside<true>>("back, beside, spinning");
    suite.add<Other<false>>("other");
    suite.add<Other<true>>("passed on");
    suite.add<Called>("called");
    suite.add<Joined>("joined");
    suite.add<Sent<false>>("sent");
    suite.add<Sent<true>>("sent or joined");
    suite.add<Late<false>>("late");
    suite.add<Late<true>>("late, left to the root");
    constexpr std::string_view counted = "eventcount_model.cpp has what needs it";
    constexpr auto fence = model::Op::fence;
    suite.unnoticed("end_search", fence, std::memory_order_seq_cst, counted);
    suite.unnoticed("announce", model::Op::modify, std::memory_order_release, counted);
    suite.unnoticed("take", model::Op::modify, std::memory_order_acquire, counted);
    suite.unnoticed("publish", fence, std::memory_order_seq_cst, counted);
    suite.unnoticed("queue_fiber", fence, std::memory_order_seq_cst, "the order that follows has one, too");
    suite.unnoticed("wake", model::Op::compare, std::memory_order_release,
                    "the monitor sleeps on a token here, which orders as much");
    return suite.run(argc, argv);
}
