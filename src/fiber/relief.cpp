// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Relief: why a fiber that is ready runs in bounded time, whatever its siblings do (docs/protocols/relief.md).
//
// Fibers switch only when they wait. One that spins on a flag, holds a pthread mutex or sleeps in a system call keeps its
// carrier, and what is ready behind it would wait for ever if it is what the spinner waits for. The monitor, a native
// thread that is awake only while something is queued, looks for such carriers and takes what they hold to other native
// threads: those which lend the fibers their identities, and otherwise sleep. A relieved fiber is an ordinary kernel
// thread until it next waits, or yields while the others move. So the worst case is what a runtime of kernel threads does.

#include "fiber/scheduler.hpp"

namespace gossamer::fiber {

constinit std::atomic<bool> relief_was_needed{false};

namespace {

constexpr std::uint64_t look_every_ns = 2'000'000;
constexpr std::uint64_t soon_ns = 50'000;           // to the next look, while carriers sleep over what they hold
constexpr std::uint64_t chaos_look_ns = 50'000;     // in chaos mode: relieves what needs no relief
constexpr std::uint64_t spun_ns = 1'000'000;        // CPU time without a scheduling point that makes a carrier stuck
constexpr std::uint64_t zone_stuck_ns = 4'000'000;  // without a take
constexpr std::uint64_t calm_ns = 16'000'000;       // with nothing queued, after which the monitor sleeps,
constexpr std::uint64_t watch_ns = 160'000'000;     // while something runs apart: long enough to see that it wants a beat
constexpr std::uint64_t seldom_ns = 16'000'000;     // to the next look, if all is calm but some home is away
constexpr std::uint32_t most_at_once = 512;
constexpr std::size_t monitor_stack = 256u << 10;

constexpr std::uint32_t often = 8;           // reliefs that make a habit
constexpr std::uint32_t some = 2;            // that have one look take all
constexpr std::uint32_t try_without = 64;    // starts apart, after which one is tried without;
constexpr std::uint32_t most_confirmed = 4;  // twice as many each time that fails, at most so often
constexpr std::uint32_t try_waking = 1024;   // wakes apart, after which one is tried without
constexpr std::uint32_t most_doublings = 6;  // of the orders that go to a home's native thread at once
constexpr std::uint32_t forget_after = 16;   // starts, after which one relief is forgotten

// What the monitor remembers of each slot from its last look.
struct Seen {
    bool work = false;
    std::uint32_t progress = 0;
    std::uint32_t looks = 0;     // how often it has looked since that progress
    std::uint64_t cpu_ns = 0;    // the native thread's CPU time at the last look,
    std::uint64_t begin_ns = 0;  // when that progress was first seen,
    std::uint64_t since_ns = 0;  // and then, or when something was last relieved of it
};
constinit Seen seen[max_carriers];

constinit std::atomic<std::uint32_t> came_back{0};  // relieved fibers that have waited or ended, ever

bool home_is_ready(const Carrier& carrier) {
    const Fiber* const home = carrier.home;
    return home != nullptr && !carrier.relief && carrier.home_place.is_out() && carrier.home_wants();
}

bool has_work(const Carrier& carrier) {
    SpinGuard guard(g.lock, [] { os::yield_native(); });  // a root that leaves takes its home along under this lock
    return !carrier.deque.empty_hint() || !carrier.inbox.empty_hint() || home_is_ready(carrier);
}

// The home of a stuck carrier, if it is ready there and the monitor gets it before the carrier does.
Item take_ready_home(Carrier& stuck) {
    SpinGuard guard(g.lock, [] { os::yield_native(); });
    if (!home_is_ready(stuck)) return Item();
    return take_home(stuck) ? Item(stuck.home) : Item();
}

Habit* habit_of(ReliefRecord* record) { return record != nullptr ? &record->now() : nullptr; }

Habit* habit_of(Item item) { return habit_of(item.fiber() != nullptr ? item.fiber()->record : item.range()->record); }

void learn_relief(Habit* habit) {
    if (habit == nullptr) return;
    habit->reliefs.fetch_add(1, std::memory_order_relaxed);
    relief_was_needed.store(true, std::memory_order_relaxed);
}

// One that was not needed.
void unlearn_relief(Habit& habit) {
    std::uint32_t reliefs = habit.reliefs.load(std::memory_order_relaxed);
    if (reliefs == 0 || reliefs >= often) return;
    habit.reliefs.compare_exchange_strong(reliefs, reliefs - 1, std::memory_order_relaxed);
}

bool is_formed(const Habit& habit) { return habit.reliefs.load(std::memory_order_relaxed) >= often; }

bool has_habit(ReliefRecord* record) { return record != nullptr && is_formed(record->now()); }

// One relief is enough to come back to it.
void interrupt_habit(Habit& habit) { habit.reliefs.store(often - 1, std::memory_order_relaxed); }

// A native thread for one thing, and the carrier that it gets for this.
struct Apart {
    Fiber* lender = nullptr;  // null: only a full fiber can be run, by its own native thread
    Carrier* carrier = nullptr;

    bool prepare() {
        lender = take_lender();
        carrier = open_relief_carrier();
        if (carrier == nullptr && lender != nullptr) give_to_stock(*lender);
        return carrier != nullptr;
    }

    void give_up() {
        if (lender != nullptr) give_to_stock(*lender);
        close_relief_carrier(*carrier);
    }

    void run(Item item, const Behind& behind, Habit* habit) {
        if (Fiber* const fiber = item.fiber(); fiber != nullptr && fiber->kind == Kind::full) {
            if (lender != nullptr) give_to_stock(*lender);
            lender = fiber;  // it has a native thread of its own
        }
        carrier->lender->thread_pointer = lender->thread_pointer;
        carrier->behind = lender->behind = behind;
        carrier->habit = habit;
        ++carrier->counters.relieved;
        lender->relief = item;
        lender->relief_carrier = carrier;
        lender->native_word.store(ordered, std::memory_order_release);  // pairs with await_order
        os::futex_wake(lender->native_word, 1);
    }
};

enum class Relieved {
    nothing,  // there was nothing, or nobody to run it
    one,
    by_habit,  // of work that has needed it lately
};

// What a carrier did that is stuck, by which its work learns what it needs.
enum class Why {
    slept,    // what was relieved certainly had to be
    spun,     // it had to be if it now turns out to be little work
    unknown,  // nothing is to be learned
};

// Not if it has come to a scheduling point since: then what it ran is over, or waits.
bool is_stuck(const Behind& behind) {
    const Carrier& carrier = *behind.stuck;
    return carrier.progress.load(std::memory_order_relaxed) == behind.progress &&
           !carrier.looking.load(std::memory_order_relaxed);
}

// There is a carrier that would come for what is queued.
bool anybody_is_free() { return anybody_sleeps() || idle_carriers() != 0; }

// By a native thread that has run what was relieved, in so much CPU time. Another carrier may run with its thread pointer.
void suspect(Carrier& carrier, std::uint64_t cpu_ns) {
    const Behind& behind = carrier.behind;
    if (!is_stuck(behind)) {
        // It has gone on meanwhile, nobody knows when. It had spun at least so long.
        if (cpu_ns < spun_ns / 2) learn_relief(carrier.habit);
        return;
    }
    Suspicion& suspicion = carrier.suspicion;
    if (suspicion.habit.load(std::memory_order_acquire) != nullptr) return;  // pairs with weigh
    suspicion.behind = behind;
    suspicion.cpu_ns = cpu_ns;
    suspicion.used_ns = 0;
    suspicion.habit.store(carrier.habit, std::memory_order_release);  // pairs with weigh
}

// By the monitor, before it looks at that carrier again. One that waited for what was relieved has used much more CPU time, and
// goes on soon after that has come to its end. One that computes does not.
void weigh(Suspicion& suspicion) {
    Habit* const habit = suspicion.habit.load(std::memory_order_acquire);  // pairs with suspect
    if (habit == nullptr) return;
    const Carrier& stuck = *suspicion.behind.stuck;
    if (!is_stuck(suspicion.behind)) {
        // At the last look it was stuck.
        const std::uint64_t used_ns = seen[stuck.index].cpu_ns - suspicion.behind.since_ns;
        if (suspicion.used_ns != 0 || suspicion.cpu_ns < used_ns / 2) learn_relief(habit);
    } else {
        const std::uint64_t now_ns = os::cpu_time_ns(stuck.native_thread.load(std::memory_order_relaxed));
        const std::uint64_t used_ns = now_ns - suspicion.behind.since_ns;
        if (suspicion.used_ns == 0) suspicion.used_ns = used_ns;
        const bool little = suspicion.cpu_ns < suspicion.used_ns / 2;
        if (little && used_ns < suspicion.used_ns + suspicion.used_ns / 4) return;  // not yet to be told
        // It may wait for what still lies behind it.
        if (little && stuck.deque.empty_hint() && stuck.inbox.empty_hint()) unlearn_relief(*habit);
    }
    suspicion.habit.store(nullptr, std::memory_order_release);  // pairs with suspect
}

void weigh_suspicions() {
    const std::uint32_t slots = g.slots.load(std::memory_order_acquire);  // pairs with the store that follows a new carrier
    for (std::uint32_t index = 0; index < slots; ++index) {
        if (Carrier* const carrier = g.carriers[index].load(std::memory_order_acquire)) weigh(carrier->suspicion);
    }
}

// The home of a worker that made way, left to others who have not come: its own native thread runs it.
bool send_home(Carrier& carrier) {
    SpinGuard guard(g.lock, [] { os::yield_native(); });
    if (!is_worker(carrier.index) || !home_is_ready(carrier) || !g.idle.claim(carrier.index)) return false;
    // The first time, the root may just have been preempted. relaxed: what others write here meanwhile costs a wake or a look.
    const std::uint32_t before = carrier.sent_for.load(std::memory_order_relaxed);
    if (before != 0) {
        carrier.calls_by_name.store(1u << (before < most_doublings ? before : most_doublings), std::memory_order_relaxed);
    }
    carrier.sent_for.store(before + 1, std::memory_order_relaxed);
    unpark(carrier);
    return true;
}

// Takes one thing from a stuck carrier and has it run elsewhere.
Relieved relieve(Carrier& stuck, Why why) {
    // First who runs it, then what: nothing is taken that could not be run.
    Apart apart;
    if (!apart.prepare()) return Relieved::nothing;
    Item item;
    // A light fiber runs by its home's thread pointer, so where there are any no home may be elsewhere.
    const bool homes = apart.lender != nullptr && !g.light_fibers.load(std::memory_order_relaxed);
    if (homes) item = take_ready_home(stuck);
    if (!item) item = take_one(stuck, apart.lender != nullptr);
    if (!item) {
        apart.give_up();
        return Relieved::nothing;
    }
    Habit* const habit = habit_of(item);
    if (why == Why::slept) learn_relief(habit);
    const bool suspected = habit != nullptr && habit->reliefs.load(std::memory_order_relaxed) >= some;
    const Behind behind{&stuck, stuck.progress.load(std::memory_order_relaxed), seen[stuck.index].begin_ns};
    apart.run(item, behind, why == Why::spun ? habit : nullptr);
    return suspected ? Relieved::by_habit : Relieved::one;
}

// At most `quota` things, and what is there of those that have needed it lately.
void relieve_some(Carrier& stuck, Why why, std::uint32_t quota) {
    for (std::uint32_t count = 0; count < quota;) {
        const Relieved relieved = relieve(stuck, why);
        if (relieved == Relieved::nothing) return;
        if (relieved == Relieved::one) ++count;
    }
}

enum class Verdict {
    moves,
    sleeps,  // in the kernel, since this look at the earliest
    stuck_asleep,
    stuck_in_system,  // nobody's fault, and soon over
    stuck,
};

// What a carrier does that holds work now.
Verdict judge(const Carrier& carrier, Seen& last, std::uint32_t progress) {
    const std::int32_t native = carrier.native_thread.load(std::memory_order_relaxed);
    const std::uint64_t cpu_ns = os::cpu_time_ns(native);
    const std::uint64_t used = cpu_ns - last.cpu_ns;
    const bool anew = !last.work || progress != last.progress;
    last.cpu_ns = cpu_ns;
    last.work = true;
    last.progress = progress;
    if (anew) {
        last.looks = 0;
        last.since_ns = last.begin_ns = cpu_ns;
    } else {
        ++last.looks;
    }
    if (g.config.chaos != 0) return last.looks > 0 ? Verdict::stuck : Verdict::moves;
    if (g.idle.still_asleep(carrier.index)) {
        // Nobody wakes it while enough others are awake, and they may all be stuck without work of their own.
        return g.shared.load(std::memory_order_relaxed) && last.looks > 1 ? Verdict::stuck : Verdict::moves;
    }
    if (!anew && cpu_ns - last.since_ns >= spun_ns) return Verdict::stuck;
    if (used > soon_ns / 2 || carrier.asleep.load(std::memory_order_relaxed) != 0) return Verdict::moves;
    if (carrier.making.load(std::memory_order_relaxed)) return Verdict::moves;
    // It has used no CPU time: the kernel has preempted it, which is no reason to disturb, or it sleeps there: for the
    // program, for the system, or while it makes fibers for us.
    switch (os::sleep_of(native)) {
        case os::Sleep::none: return cpu_ns == 0 && last.looks > 0 ? Verdict::stuck : Verdict::moves;
        case os::Sleep::in_system: return anew ? Verdict::moves : Verdict::stuck_in_system;
        case os::Sleep::waits: break;
    }
    return anew ? Verdict::sleeps : Verdict::stuck_asleep;
}

struct Outcome {
    bool queued = false;    // something is
    bool away = false;      // something else runs on a home's native thread, and so may keep it from an order that comes
    bool stuck = false;     // some carrier is
    bool sleeping = false;  // some carrier sleeps in the kernel over what it holds: to be looked at again soon
};

// Takes one thing that is bound, and has it run by somebody who is bound like it.
bool relieve(Zone& zone) {
    Apart apart;
    if (!apart.prepare()) return false;
    const Item item = take_from_zone(zone, apart.lender != nullptr);
    if (!item) {
        apart.give_up();
        return false;
    }
    apart.run(item, {}, nullptr);
    return true;
}

// One look at every zone. It is stuck when nobody has taken anything for a while.
void look_at_zones(std::uint32_t quota, Outcome& outcome) {
    if (g.zones == nullptr) return;
    for (Zone* zone = g.zones; zone <= g.zones + g.config.zones; ++zone) {
        const std::uint32_t taken = zone->taken.load(std::memory_order_relaxed);
        const std::uint64_t now = zone->empty_hint() ? 0 : os::now_ns();
        const bool anew = zone->seen_ns == 0 || zone->seen_taken != taken;
        if (anew || now == 0) zone->seen_ns = now;
        zone->seen_taken = taken;
        if (now == 0) continue;
        outcome.queued = true;
        if (anew || now - zone->seen_ns < (g.config.chaos != 0 ? chaos_look_ns : zone_stuck_ns)) continue;
        outcome.stuck = true;
        for (std::uint32_t count = 0; count < quota && relieve(*zone);) ++count;
    }
}

// One look at every carrier; at most `quota` things are relieved of each.
Outcome look(std::uint32_t quota) {
    Outcome outcome;
    if (g.shared.load(std::memory_order_relaxed)) let_go_of_sleepers();
    weigh_suspicions();
    const std::uint32_t slots = g.slots.load(std::memory_order_acquire);  // pairs with the store that follows a new carrier
    for (std::uint32_t index = 0; index < slots; ++index) {
        Carrier* const carrier = g.carriers[index].load(std::memory_order_acquire);
        if (carrier == nullptr) continue;
        const std::uint32_t progress = carrier->progress.load(std::memory_order_relaxed);
        outcome.away |= carrier->home_place.is_out() && carrier->asleep.load(std::memory_order_relaxed) == 0;
        const Serves served = carrier->serves.load(std::memory_order_relaxed);
        if (!has_work(*carrier)) {
            seen[index].work = false;
            continue;
        }
        outcome.queued = true;
        if (!carrier->deque.empty_hint() || !carrier->inbox.empty_hint()) use_room(*carrier);
        const Verdict verdict = judge(*carrier, seen[index], progress);
        outcome.sleeping |= verdict == Verdict::sleeps || verdict == Verdict::stuck_asleep;
        if (verdict == Verdict::moves || verdict == Verdict::sleeps) continue;
        outcome.stuck = true;
        if (g.idle.still_asleep(index) && send_home(*carrier)) continue;
        // What is left on the carrier of one that ran apart, and waits now, is not stuck behind anybody. (Such a carrier may
        // have been opened again between two looks.)
        const bool closed = served == Serves::nobody || carrier->serves.load(std::memory_order_relaxed) == Serves::nobody;
        const bool rest = closed || verdict == Verdict::stuck_in_system;
        relieve_some(*carrier, rest ? Why::unknown : verdict == Verdict::stuck ? Why::spun : Why::slept, quota);
        seen[index].since_ns = seen[index].cpu_ns;  // it may only compute: as much CPU time again before the next
    }
    look_at_zones(quota, outcome);
    if (g.config.look != nullptr) g.config.look(Looker::monitor);
    return outcome;
}

void monitor_main(void*) {
    os::name_thread("gossamer-watch");
    os::end_sleeps_on_time();
    if (g.zones != nullptr) g.config.bind(0);  // it began as a copy of a thread that may be bound
    std::uint64_t calm = 0;
    std::uint64_t pause = look_every_ns;
    std::uint32_t quota = 1;
    std::uint32_t back_before = 0;
    for (;;) {
        os::sleep_native(pause);
        if (g.watch.has_ended()) return;
        const Outcome outcome = look(quota);
        // While what was relieved comes to its end the program moves on. If it does not, it may wait for something that is
        // still queued: twice as much at the next look.
        const std::uint32_t back = came_back.load(std::memory_order_relaxed);
        if (back != back_before || (!outcome.stuck && pause == look_every_ns)) {
            quota = 1;
        } else if (outcome.stuck && quota < most_at_once) {
            quota *= 2;
        }
        back_before = back;
        const bool beats = conduct(back);
        calm = outcome.queued || beats ? 0 : calm + pause;
        // Who has just been relieved may soon need it again.
        pause = outcome.sleeping ? soon_ns : 2 * pause < look_every_ns ? 2 * pause : look_every_ns;
        if (g.config.chaos != 0) pause = chaos_look_ns;
        if (calm < (g.apart.load(std::memory_order_relaxed) == 0 ? calm_ns : watch_ns)) continue;
        if (outcome.away) {
            pause = seldom_ns;
            continue;
        }
        calm = 0;
        if (!g.watch.fall_asleep()) return;  // ended
        if (const Outcome last = look(0); last.queued || last.away) {
            g.watch.turn_back();  // or it is awake, or ended
            continue;
        }
        while (g.watch.sleeps()) os::futex_wait(g.watch.word(), Watch::asleep);
    }
}

}  // namespace

void wake_monitor() {
    const std::uint32_t before = g.watch.wake();
    if (before == Watch::asleep) os::futex_wake(g.watch.word(), 1);
    if (before != Watch::none) return;
    // Without a monitor nothing is relieved. Programs that wait by OpenMP's own means hardly need one (docs/protocols/tasks.md).
    start_with_room([](std::size_t extra) {
        if (const int code = os::map_stack(monitor_stack + extra, g.monitor_stack)) return code;
        const int code = os::start_thread_on(g.monitor_stack, monitor_main, nullptr, g.monitor);
        if (code == 0) return 0;
        os::unmap_stack(g.monitor_stack);
        g.monitor_stack = {};
        return code;
    });
    g.monitor_runs.store(true, std::memory_order_release);  // pairs with end_monitor
}

void look_soon() { note_work(); }

bool must_start_apart(ReliefRecord& record, const void* kind) {
    Habit& habit = record.choose(kind);
    ++habit.starts;
    if (is_formed(habit)) {
        if (habit.starts < try_without << habit.confirmed) return true;
        habit.starts = 0;
        if (habit.confirmed < most_confirmed) ++habit.confirmed;
        interrupt_habit(habit);
        return false;
    }
    if (has_habit(self()->record)) {
        habit.reliefs.store(often, std::memory_order_relaxed);  // its fibers have it as well
        return true;
    }
    const std::uint32_t reliefs = habit.reliefs.load(std::memory_order_relaxed);
    if (reliefs != 0 && habit.starts < forget_after) return false;
    habit.starts = 0;
    habit.confirmed = 0;
    if (reliefs != 0) habit.reliefs.store(reliefs - 1, std::memory_order_relaxed);
    return false;
}

bool go_on_apart(Fiber& fiber) {
    if (fiber.kind != Kind::full || !has_habit(fiber.record)) return false;
    Habit& habit = fiber.record->now();
    if (habit.wakes.fetch_add(1, std::memory_order_relaxed) % try_waking == try_waking - 1) {
        interrupt_habit(habit);
        return false;
    }
    return run_apart(Item(&fiber));
}

bool run_apart(Item item, const Behind& behind, Habit* habit) {
    if (item.fiber() != nullptr && item.fiber()->kind != Kind::full) return false;
    Apart apart;
    if (item.range() != nullptr) {
        if (!apart.prepare()) return false;
        if (apart.lender == nullptr) {
            apart.give_up();
            return false;
        }
    } else if ((apart.carrier = open_relief_carrier()) == nullptr) {
        return false;
    }
    apart.run(item, behind, habit);
    note_work();  // nothing is queued, but it may want a beat
    return true;
}

bool stays_apart(Fiber& fiber) {
    if (fiber.kind != Kind::full || fiber.behind.stuck == nullptr || !is_stuck(fiber.behind) || anybody_is_free()) return false;
    return run_apart(Item(&fiber), fiber.behind, habit_of(fiber.record));
}

void hand_on(Carrier& carrier) {
    if (carrier.deque.empty_hint() || carrier.behind.stuck == nullptr || !is_stuck(carrier.behind) || anybody_is_free()) return;
    while (const Item item = carrier.deque.pop()) {
        if (item.range() != nullptr && item.range()->span.empty()) continue;
        carrier.habit = nullptr;  // it may wait for just that, so this is not the end of what was relieved
        if (run_apart(item, carrier.behind)) continue;
        carrier.deque.push(item);  // where it was there is room
        return;
    }
}

bool yield_apart(Fiber& me) {
    const Carrier& carrier = *me.carrier;
    const Carrier* const stuck = carrier.behind.stuck;
    if (has_habit(me.record) || stuck == nullptr ||
        stuck->progress.load(std::memory_order_relaxed) == carrier.behind.progress) {
        os::yield_native();
        return false;
    }
    if (me.kind == Kind::native) {
        Carrier& own = *me.own;
        own.home_yielded.store(true, std::memory_order_relaxed);  // published by the store of the place
        come_home(me);
        own.home_yielded.store(false, std::memory_order_relaxed);
    } else {
        switch_to(me, *carrier.home, After::back);
    }
    return true;
}

void serve_relief(Fiber& fiber) {
    Carrier& carrier = *fiber.relief_carrier;
    const Item item = fiber.relief;
    const bool own = item.fiber() == &fiber;
    Fiber& lender = *carrier.lender;
    const pid_t native = os::kernel_thread_id();
    carrier.native_thread.store(native, std::memory_order_relaxed);  // stale or new: a hint
    const std::uint64_t begin_ns = os::cpu_time_ns(native);
    carrier.apart_since_ns.store(begin_ns, std::memory_order_relaxed);
    os::set_signal_mask(g.signals);  // until `arrive`
    if (g.zones != nullptr) {
        settle(carrier, 0);  // it may have run something that was bound
        fiber.lent_zone = UINT32_MAX;
    }
    if (item.range() != nullptr) {
        carrier.in_hand = item;
        switch_to(lender, fiber, After::home);
    } else {
        switch_to(lender, *item.fiber(), After::home);
    }
    // From here on another carrier may run with this thread's thread pointer.
    came_back.fetch_add(1, std::memory_order_relaxed);
    const std::uint64_t cpu_ns = os::cpu_time_ns(native) - begin_ns;
    carrier.apart_since_ns.store(0, std::memory_order_relaxed);
    g.apart_ns.fetch_add(cpu_ns, std::memory_order_relaxed);
    if (carrier.habit != nullptr) suspect(carrier, cpu_ns);
    // A fiber that lent only its native thread has not run, and is free again; one that ran a number rests among the
    // carrier's spares, or waits.
    if (!own && item.range() == nullptr) give_to_stock(fiber);
    close_relief_carrier(carrier);
}

}  // namespace gossamer::fiber
