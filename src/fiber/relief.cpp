// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Relief: why a ready fiber runs in bounded time, whatever its siblings do (docs/protocols/relief.md).
//
// Fibers switch only when they wait. A fiber that spins on a flag, holds a pthread mutex or sleeps in a system call keeps its
// carrier, and the work queued there would wait for ever if the spinner waits for that very work. The monitor, a native
// thread that is awake only while something is queued, looks for such stuck carriers and moves their work to other native
// threads: those that lend the fibers their identities, and otherwise sleep. A relieved fiber is an ordinary kernel thread
// until it next waits, or yields while the stuck carrier moves. So the worst case is what a runtime of kernel threads does.

#include "fiber/relief.hpp"

#include "fiber/apart.hpp"
#include "fiber/beat.hpp"
#include "fiber/give_way.hpp"
#include "fiber/habit.hpp"
#include "fiber/home.hpp"
#include "fiber/late.hpp"
#include "fiber/one_to_one.hpp"
#include "fiber/proof.hpp"
#include "fiber/queues.hpp"
#include "fiber/ready.hpp"
#include "fiber/roots.hpp"
#include "fiber/zone.hpp"

namespace gossamer::fiber {

namespace {

constexpr std::uint64_t look_every_ns = 2'000'000;
constexpr std::uint64_t soon_ns = 50'000;           // to the next look, while carriers sleep over queued work
constexpr std::uint64_t chaos_look_ns = 50'000;     // in chaos mode: relieves what needs no relief
constexpr std::uint64_t zone_stuck_ns = 4'000'000;  // without a take of the oldest: the zone is stuck
constexpr std::uint64_t calm_ns = 16'000'000;       // with nothing queued, after which the monitor sleeps,
constexpr std::uint64_t watch_ns = 160'000'000;     // while something runs apart: long enough to see that it needs a beat
constexpr std::uint64_t seldom_ns = 16'000'000;     // to the next look, if all is calm but some home is away, or if it dozes
constexpr std::uint32_t most_at_once = 512;
constexpr std::size_t monitor_stack = 256u << 10;

constexpr std::uint32_t most_doublings = 6;  // of the number of orders that go to a home's native thread at once

bool home_is_ready(const Carrier& carrier) {
    const Fiber* const home = carrier.home;
    return home != nullptr && !carrier.relief && carrier.home_place.is_out() && carrier.home_wants();
}

bool has_work(const Carrier& carrier) {
    SpinGuard guard(g.lock, os::yield_native);  // a root that leaves takes its home along under this lock
    return !carrier.nothing_for_thieves() || home_is_ready(carrier);
}

// Whether the home of a carrier that sleeps is ready.
bool is_left(const Carrier& carrier) {
    SpinGuard guard(g.lock, os::yield_native);
    return home_is_ready(carrier);
}

// How far the carrier has come. If it sleeps, and others run its home, its decisions do not tell: where nothing else is queued
// the home's orders count, or one that is wanted at each look would seem to be left, though each look sees another order.
std::uint32_t progress_of(const Carrier& carrier) {
    const std::uint32_t progress = carrier.progress.load(std::memory_order_relaxed);
    if (!g.idle.still_asleep(carrier.index) || !carrier.nothing_for_thieves()) return progress;
    SpinGuard guard(g.lock, os::yield_native);
    return carrier.home == nullptr ? progress : progress + carrier.home->taken.load(std::memory_order_relaxed);
}

// The home of a stuck carrier, if it is ready there and the monitor takes it before the carrier does.
Item take_ready_home(Carrier& stuck) {
    SpinGuard guard(g.lock, os::yield_native);
    if (!home_is_ready(stuck)) return Item();
    return take_home(stuck) ? Item(stuck.home) : Item();
}

enum class Relieved {
    nothing,  // the carrier held nothing, or no native thread could run it
    one,
    by_habit,  // of work that has needed it lately
};

// How a carrier is stuck: what its work learns from the relief.
enum class Why {
    slept,    // the relief was certainly needed
    spun,     // it was needed if the relieved work now turns out to be little
    unknown,  // nothing is to be learned
};

// The home of a worker that sleeps, left to others of which none has come: wakes its own native thread to run it.
bool send_home(Carrier& carrier) {
    SpinGuard guard(g.lock, os::yield_native);
    if (!is_worker(carrier.index) || !home_is_ready(carrier) || !g.idle.claim(carrier.index)) return false;
    // The first time, the root may just have been preempted. relaxed: another thread's store in between costs a wake or a look.
    const std::uint32_t before = carrier.home_calls.by_monitor.load(std::memory_order_relaxed);
    if (before != 0) {
        carrier.home_calls.direct.store(1u << (before < most_doublings ? before : most_doublings), std::memory_order_relaxed);
    }
    carrier.home_calls.by_monitor.store(before + 1, std::memory_order_relaxed);
    note_sent();
    unpark(carrier);
    return true;
}

// Takes one item from a stuck carrier and has it run elsewhere.
Relieved relieve(Carrier& stuck, Why why) {
    // First the native thread, then the item: nothing is taken that could not be run.
    Apart apart;
    if (!apart.prepare_for_any()) return Relieved::nothing;
    // Read before the item is taken: where the carrier moves meanwhile, the item comes back as soon as it yields.
    const Behind behind{&stuck, stuck.progress.load(std::memory_order_relaxed), stuck.seen.begin_ns};
    Item item;
    // A light fiber runs by its home's thread pointer, so while any exist no home may be elsewhere. One to one no home is left
    // for work that started since; but what has started before may keep its native thread, and wait for it.
    const bool homes = apart.has_lender() && !g.light_fibers.load(std::memory_order_relaxed);
    if (homes) item = take_ready_home(stuck);
    if (!item) item = take_one(stuck, apart.has_lender());
    if (!item) return Relieved::nothing;
    Habit* const habit = habit_of(item);
    if (why == Why::slept) learn_relief(habit);
    const bool suspected = is_suspected(habit);
    apart.run(item, behind, why == Why::spun ? habit : nullptr);
    return suspected ? Relieved::by_habit : Relieved::one;
}

// Relieves at most `quota` items, and on top of that every item of work that has needed it lately.
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
    stuck_in_system,  // sleeps for the system itself, which will soon be through
    stuck,
};

// What a carrier does that holds work now.
Verdict judge(Carrier& carrier, std::uint32_t progress) {
    Seen& last = carrier.seen;
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
        if (last.looks != UINT16_MAX) ++last.looks;
    }
    if (g.config.chaos != 0) return last.looks > 0 ? Verdict::stuck : Verdict::moves;
    if (g.idle.still_asleep(carrier.index)) {
        // No publisher wakes it while enough carriers are awake, and these may all be stuck without work of their own; nor does
        // a root that leaves the home to itself.
        const bool left = g.shared.load(std::memory_order_relaxed) || is_left(carrier);
        return left && last.looks > 1 ? Verdict::stuck : Verdict::moves;
    }
    const bool makes = carrier.making.load(std::memory_order_relaxed);  // fibers, for us
    if (makes) last.since_ns = cpu_ns;
    const bool runs = used > soon_ns / 2;  // or has run since the last look
    if (runs && !anew && cpu_ns - last.since_ns >= spun_ns) return Verdict::stuck;
    if (runs || carrier.asleep.load(std::memory_order_relaxed) != 0) return Verdict::moves;
    if (makes) return Verdict::moves;
    // It has used no CPU time: the kernel has preempted it, which is no reason to disturb, or it sleeps there, whatever it has
    // computed before: for the program, for the system, or while it makes fibers for us.
    switch (os::sleep_of(native)) {
        case os::Sleep::none: return cpu_ns == 0 && last.looks > 0 ? Verdict::stuck : Verdict::moves;
        // It may be preempted, but it may as well sleep for ever.
        case os::Sleep::unknown: return last.looks > 1 ? Verdict::stuck_in_system : Verdict::moves;
        case os::Sleep::in_system: return anew ? Verdict::moves : Verdict::stuck_in_system;
        case os::Sleep::waits: break;
    }
    return anew ? Verdict::sleeps : Verdict::stuck_asleep;
}

struct Outcome {
    bool queued = false;    // some work is
    bool away = false;      // some home's native thread runs something else, which may keep it from an order that comes
    bool stuck = false;     // some carrier is
    bool sleeping = false;  // some carrier sleeps in the kernel over queued work: look again soon
    bool suspects = false;  // it cannot be told yet whether some relief was needed
    bool wanted = false;    // the upper layer wanted this look
    bool needs_looks() const { return queued || suspects; }
};

// Takes one bound item, and has it run by a native thread that is bound likewise.
bool relieve(Zone& zone) {
    Apart apart;
    if (!apart.prepare_for_any()) return false;
    const Item item = take_from_zone(zone, apart.has_lender());
    if (!item) return false;
    apart.run(item, {}, nullptr);
    return true;
}

// Asks the carriers that read the zone's queue.
void ask_readers(const Zone& zone) {
    for (Carrier& carrier : all_carriers()) {
        const Zone* const read = carrier.zone.load(std::memory_order_relaxed);
        const bool reads = read != nullptr && (read == &zone || &zone == g.zones);  // all read the commons
        if (reads && carrier.serves.load(std::memory_order_relaxed) == Serves::all) ask_to_give_way(carrier);
    }
}

// One look at every zone. A zone is stuck when no carrier has taken its oldest item for a while; before that its carriers are
// asked to give way.
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
        if (anew) continue;
        if (now - zone->seen_ns < (g.config.chaos != 0 ? chaos_look_ns : zone_stuck_ns)) {
            if (g.config.chaos == 0) ask_readers(*zone);
            continue;
        }
        outcome.stuck = true;
        for (std::uint32_t count = 0; count < quota && relieve(*zone);) ++count;
    }
}

// Asks a carrier that holds work to give way, so that a thread there which passes scheduling points lets the work run. It is
// asked at the first look that sees it move, so that no relief comes late; but once in each millisecond of its CPU time, so
// that looks that follow each other fast do not make its fibers take turns. True: it may still answer, and needs no relief yet.
// Where the kernel tells no CPU time it has until the next look.
bool may_give_way(Carrier& carrier, Verdict verdict) {
    const bool spins = verdict == Verdict::stuck && !g.idle.still_asleep(carrier.index);
    if (verdict != Verdict::moves && !spins) return false;
    if (carrier.serves.load(std::memory_order_relaxed) != Serves::all || g.config.chaos != 0) return false;
    Seen& seen = carrier.seen;
    const auto now_us = static_cast<std::uint32_t>(seen.cpu_ns / 1000);
    const bool had_time = now_us - seen.asked_us >= spun_ns / 1000;
    // relaxed: a hint; whoever has just answered is asked again at the next look
    const bool asked = carrier.asked.load(std::memory_order_relaxed);
    if (asked && seen.looks == 0) seen.asked_us = now_us;  // it takes turns (attend_polling): the request is as good as new
    if (asked || (!spins && !had_time)) return !had_time && seen.cpu_ns != 0;
    seen.asked_us = now_us;
    ask_to_give_way(carrier);
    return true;
}

// One look at every carrier; relieves at most `quota` items of each.
Outcome look(std::uint32_t quota) {
    Outcome outcome;
    if (g.shared.load(std::memory_order_relaxed)) let_go_of_sleepers();
    outcome.suspects = weigh_suspicions();
    look_at_proof();
    for (Carrier& carrier : all_carriers()) {
        const std::uint32_t progress = progress_of(carrier);
        outcome.away |= carrier.home_place.is_out() && carrier.asleep.load(std::memory_order_relaxed) == 0;
        const Serves served = carrier.serves.load(std::memory_order_relaxed);
        if (!has_work(carrier)) {
            note_for_proof(carrier, progress != carrier.seen.progress, false);
            carrier.seen.work = false;
            if (!carrier.seen.questioned) withdraw_request(carrier);
            continue;
        }
        outcome.queued = true;
        if (!carrier.nothing_for_thieves()) use_room(carrier);
        const Verdict verdict = judge(carrier, progress);
        note_for_proof(carrier, carrier.seen.looks == 0, true);
        outcome.sleeping |= verdict == Verdict::sleeps || verdict == Verdict::stuck_asleep;
        if (may_give_way(carrier, verdict) || verdict == Verdict::moves || verdict == Verdict::sleeps) continue;
        const bool asleep = g.idle.still_asleep(carrier.index);
        // Work left on the carrier of a fiber that ran apart, and waits now, is not stuck behind anything. (Such a carrier
        // may have been opened again between the two looks.)
        const bool closed = served == Serves::nobody || carrier.serves.load(std::memory_order_relaxed) == Serves::nobody;
        if (verdict == Verdict::stuck && !asleep && !closed && leaves_without_relief(carrier)) continue;
        outcome.stuck = true;
        if (asleep && send_home(carrier)) continue;
        const bool rest = closed || verdict == Verdict::stuck_in_system;
        relieve_some(carrier, rest ? Why::unknown : verdict == Verdict::stuck ? Why::spun : Why::slept, quota);
        carrier.seen.since_ns = carrier.seen.cpu_ns;  // it may only compute: as much CPU time again before the next relief
    }
    look_at_zones(quota, outcome);
    outcome.wanted = g.config.look != nullptr && g.config.look(Looker::monitor);
    return outcome;
}

// Sleeps until something needs the monitor, and looks now and then meanwhile as long as that is wanted. False: it was ended.
bool rest() {
    Watch& watch = g.monitor.watch;
    if (!watch.fall_asleep()) return false;
    do {
        if (const Outcome last = look(0); last.needs_looks() || last.away) {
            watch.turn_back();  // false: a publisher has woken it, or it was ended; either is fine
        } else if (const bool left = sleepers_are_left(); !watch.dozes()) {
            if (left) watch.rouse();
            while (watch.sleeps()) os::futex_wait(watch.word(), Watch::asleep);
        } else if (last.wanted || left) {
            os::futex_wait(watch.word(), Watch::dozing, g.config.chaos != 0 ? chaos_look_ns : seldom_ns);
        } else {
            watch.stop_dozing();  // and looks once more; false: as above
        }
    } while (watch.rests());
    return !watch.has_ended();
}

void monitor_main(void*) {
    os::name_thread("gossamer-watch");
    os::end_sleeps_on_time();
    if (g.zones != nullptr) g.config.bind(0);  // it began with the affinity of its creator, which may be bound
    std::uint64_t calm = 0;
    std::uint64_t pause = look_every_ns;
    std::uint32_t quota = 1;
    std::uint32_t back_before = 0;
    for (;;) {
        os::sleep_native(pause);
        if (g.monitor.watch.has_ended()) return;
        const Outcome outcome = look(quota);
        // While relieved work comes to its end the program moves on. If none does, it may wait for work that is still queued:
        // relieve twice as much at the next look.
        const std::uint32_t back = came_back();
        if (back != back_before || (!outcome.stuck && pause == look_every_ns)) {
            quota = 1;
        } else if (outcome.stuck && quota < most_at_once) {
            quota *= 2;
        }
        back_before = back;
        const bool beats = conduct(back);
        calm = outcome.needs_looks() || beats ? 0 : calm + pause;
        // A carrier that has just been relieved may soon need it again.
        pause = outcome.sleeping ? soon_ns : 2 * pause < look_every_ns ? 2 * pause : look_every_ns;
        if (g.config.chaos != 0) pause = chaos_look_ns;
        if (calm < (g.apart.open.load(std::memory_order_relaxed) == 0 ? calm_ns : watch_ns)) continue;
        if (outcome.away) {
            pause = seldom_ns;
            continue;
        }
        calm = 0;
        ask_no_more();
        if (!rest()) return;
    }
}

// False: the system refuses its native thread, or did just now. Then nothing is relieved. Programs that wait by OpenMP's own
// means hardly need a monitor (docs/protocols/tasks.md).
bool start_monitor() {
    constexpr std::uint64_t until_next_try_ns = 10'000'000;
    // relaxed, both: one thread at a time is here, and what it misses of the one before costs one try
    const std::uint64_t now_ns = os::now_ns();
    if (now_ns < g.monitor.not_before_ns.load(std::memory_order_relaxed)) return false;
    const int code = start_on_stack(monitor_stack, monitor_main, nullptr, g.monitor.thread, g.monitor.stack);
    if (code == 0) return true;
    g.monitor.not_before_ns.store(now_ns + until_next_try_ns, std::memory_order_relaxed);
    tell_shortage(code, "OpenMP threads that wait for each other by their own means may wait for ever");
    return false;
}

// What a thread owes to the monitor, having found its word at `before` and changed it.
void carry_out(std::uint32_t before) {
    if (before == Watch::asleep) os::futex_wake(g.monitor.watch.word(), 1);
    if (before != Watch::none) return;
    if (start_monitor()) {
        g.monitor.runs.store(true, std::memory_order_release);  // pairs with end_monitor
    } else {
        g.monitor.watch.has_not_begun();
    }
}

}  // namespace

void wake_monitor() { carry_out(g.monitor.watch.wake()); }

void look_soon() {
    std::atomic_thread_fence(std::memory_order_seq_cst);  // pairs with the monitor's, before its last look
    note_work();
}

void look_later() {
    std::atomic_thread_fence(std::memory_order_seq_cst);  // as above
    if (!g.monitor.watch.will_look()) carry_out(g.monitor.watch.rouse());
}

}  // namespace gossamer::fiber
