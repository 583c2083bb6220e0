// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The switch from one fiber to another, what is left to do for the fiber that was left, and the loop of a fiber that has
// nothing of its own to do.
//
// No thread may resume a fiber before its context is saved, and it is saved only when its stack has been left. So the step
// that publishes it runs on the other side, on the next fiber's stack: the payload of the switch carries the fiber that was
// left and what to do with it.

#include "fiber/switch.hpp"

#include "fiber/idle.hpp"
#include "fiber/late.hpp"
#include "fiber/queues.hpp"
#include "fiber/ready.hpp"
#include "fiber/relief.hpp"
#include "fiber/roots.hpp"
#include "fiber/stock.hpp"
#include "fiber/zone.hpp"

namespace gossamer::fiber {

namespace {

constexpr std::uintptr_t after_mask = 15;
static_assert(static_cast<std::uintptr_t>(After::count) <= after_mask + 1 && alignof(Fiber) > after_mask);

GOSSAMER_UNSEEN void* payload_of(const Fiber& left, After after) {
    return reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(&left) | static_cast<std::uintptr_t>(after));
}

void* thread_pointer_of(const Fiber& fiber, const Carrier& carrier) {
    return fiber.kind == Kind::light ? carrier.home->thread_pointer : fiber.thread_pointer;
}

// A light fiber is about to run on `carrier`, by its home's thread pointer. The carrier that has the home elsewhere brings it
// back, for a home comes home when it waits; and while there are light fibers no thread takes one away.
GOSSAMER_COLD void await_home(const Carrier& carrier) {
    while (carrier.home_place.is_away()) os::yield_native();
}

// Light fibers and their home share one TLS block. A lender shares its fiber's, where `self` is the fiber.
GOSSAMER_UNSEEN bool shares_identity(const Fiber& fiber) { return fiber.kind == Kind::light || fiber.kind == Kind::native; }

// Not inlined: a compiler takes the address of a thread-local variable for a constant of the function, and a spare light
// fiber comes back on another carrier.
GOSSAMER_NOINLINE void set_self(Fiber& me) { t_self = &me; }

// The running fiber, on a stack that has just been reached for the first time: the fiber that was left ran on this carrier,
// and no other thread can have it before `arrive`.
GOSSAMER_UNCHECKED Fiber& first_arrival(void* payload) {
    const auto word = reinterpret_cast<std::uintptr_t>(payload);
    Fiber& me = *reinterpret_cast<Fiber*>(word & ~after_mask)->carrier->running;
    if (shares_identity(me)) sanitizer::runs(me.sanitizer);
    return me;
}

// The rarer things to do for a fiber that was left.
GOSSAMER_NOINLINE void see_to(Carrier& carrier, Fiber& left, After after) {
    switch (after) {
        case After::park: make_ready(left); break;  // it was resumed before it was parked
        case After::yield:
            if (GOSSAMER_UNLIKELY(left.zone != 0) && left.kind != Kind::light) {
                put_in_zone(left);
                break;
            }
            (left.kind == Kind::light ? carrier.pinned : carrier.inbox).push(&left);
            published_here(carrier);
            break;
        case After::chaos: {
            if (left.zone != 0 && left.kind != Kind::light) {
                put_in_zone(left);
                break;
            }
            const std::uint32_t slots = g.workers.load(std::memory_order_relaxed);
            Carrier* const other = g.carriers[carrier.random.below(slots)].load(std::memory_order_acquire);
            Carrier& target = left.kind == Kind::light || other == nullptr ? carrier : *other;
            (left.kind == Kind::light ? target.pinned : target.inbox).push(&left);
            published(target);
            break;
        }
        case After::home:
            if (left.kind != Kind::native) break;
            left.own->home_place.leave();
            // For the root that runs a late home now the monitor dozes, at least.
            expects_late_home(*left.own) ? look_later() : note_work();
            break;
        case After::lie_out: left.own->home_place.leave(); break;
        case After::come_home: {
            Carrier& own = *left.own;
            left.carrier = &own;
            own.home_place.leave();
            // A root's home may be gone from here on: whether it is ready is for its carrier to see. A worker's home stays as
            // long as any worker or root runs (closing.cpp), and hears only if it is wanted.
            if (is_worker(own.index) && !carrier.relief) {
                if (own.home_wants()) call_home(own);
            } else if (g.idle.claim(own.index)) {
                unpark(own);
            }
            if (!g.idle.still_asleep(own.index)) note_work();
            break;
        }
        case After::back: {
            if (left.zone != 0) {
                put_in_zone(left);
                break;
            }
            Carrier& target = another_carrier_for(left);
            target.inbox.push(&left);
            published(target);
            break;
        }
        case After::spare:
        case After::nothing:
        case After::count: break;
    }
}

// A fiber's first steps when it runs again, or for the first time.
GOSSAMER_UNSEEN void arrive(Fiber& me, void* payload) {
    sanitizer::arrives(&me);
    if (shares_identity(me)) set_self(me);
    const auto word = reinterpret_cast<std::uintptr_t>(payload);
    Fiber& left = *reinterpret_cast<Fiber*>(word & ~after_mask);
    const After after = static_cast<After>(word & after_mask);
    if (after == After::spare) {
        put_spare(*me.carrier, left);
    } else if (after != After::park || !left.permit.park()) {
        see_to(*me.carrier, left, after);
    }
}

// The CPU predicts the returns of the fiber that goes on by the calls of the one that left, which are mostly the same but for
// the functions between its wait and the switch (docs/decisions/0020-the-switch-is-jumped-to.md). So the functions that wait,
// and the loop, have the switch inlined.
GOSSAMER_UNSEEN void switch_here(Fiber& from, Fiber& to, After after) {
    Carrier& carrier = *from.carrier;
    if (GOSSAMER_UNLIKELY(to.kind == Kind::light)) await_home(carrier);
    void* const payload = payload_of(from, after);
    void* const here = thread_pointer_of(from, carrier);
    void* const there = thread_pointer_of(to, carrier);
    to.carrier = &carrier;
    carrier.running = &to;
    if (GOSSAMER_UNLIKELY(to.zone != carrier.bound)) settle_for(carrier, to);
    ++carrier.counters.switches;
    // Read now: ThreadSanitizer and AddressSanitizer may look at nothing between leaving and the word to them.
    void* const target = to.stack_pointer;
    const bool shares = shares_identity(from);
    const sanitizer::Context context = from.sanitizer;
    sanitizer::leaves(&to);
    void* back;
    if (here == there) {
        back = arch::switch_stack(&from.stack_pointer, target, payload);
    } else if (GOSSAMER_LIKELY(!g.by_kernel)) {
        back = arch::switch_stack_and_thread(&from.stack_pointer, target, payload, there);
    } else {
        back = arch::switch_stack_and_thread_by_kernel(&from.stack_pointer, target, payload, there);
    }
    if (shares) sanitizer::runs(context);
    arrive(from, back);
}

GOSSAMER_UNSEEN void hand_over_here(Fiber& from, Item item, After after) {
    Carrier& carrier = *from.carrier;
    Fiber* to = item.fiber();
    if (to == nullptr) {
        if (item) carrier.in_hand = item;
        if (!item && carrier.claim_home()) {
            to = carrier.home;
            if (GOSSAMER_UNLIKELY(carrier.relief)) leave_apart(from);
        } else {
            to = take_spare(carrier);  // with nothing at hand, and the home elsewhere: it looks for work in its place
        }
    }
    switch_here(from, *to, after);
}

// Holds `range`: runs its numbers one after another while this fiber stays on its carrier, and leaves the rest to other
// holders. `stays`: it lies in this carrier's deque, and was found there with numbers left. (To look for it there would not do:
// docs/protocols/ranges.md, why nothing is left behind.)
GOSSAMER_UNSEEN void run_range(Fiber& me, Range& range, bool stays) {
    Carrier& carrier = *me.carrier;
    std::uint32_t number;
    if (!range.span.take_first(number)) return;
    begin_call(me);
    ReliefRecord* const record = me.record;
    me.record = range.record;
    if (!range.span.empty()) {
        // It is visible while its numbers run, so that thieves, or the fiber that takes over if one waits, find it.
        if (!stays) push_range(carrier, range);
    } else if (carrier.deque.peek() == Item(&range)) {
        carrier.deque.pop();  // an exhausted range would look like work to a waiter on this carrier
    }
    std::uint32_t count = 0;
    do {
        range.call(range, number, me);
        ++count;
    } while (me.carrier == &carrier && range.span.take_first_unless([&] { return carrier.home_wants(); }, number));
    me.carrier->counters.calls += count;
    // An exhausted range in the deque must not pile up under the regions to come.
    if (me.carrier == &carrier && carrier.deque.peek() == Item(&range) && range.span.empty()) carrier.deque.pop();
    // A fiber that the last number wakes, which mostly waited for just that, runs next, by way of no queue.
    Carrier& last = *me.carrier;
    last.takes_in_hand = !last.relief;
    range.finish(count);
    last.takes_in_hand = false;
    if (last.in_hand) note_progress(last);
    me.record = record;
    end_call(me);
}

}  // namespace

// Not inlined: the functions that wait have its callers inlined.
GOSSAMER_NOINLINE void leave_apart(Fiber& me) { me.signals = os::block_signals(); }

namespace {

// Where a fiber that is to run apart goes on first. Nothing returns here.
[[noreturn]] GOSSAMER_UNCHECKED void land(void* payload) {
    Fiber& me = first_arrival(payload);
    arrive(me, payload);
    if (me.kind == Kind::full && g.one_to_one.load(std::memory_order_relaxed)) {
        // relaxed: its own native thread looks at it when it comes back.
        if (!me.runs_alone.load(std::memory_order_relaxed)) me.signals = g.signals;
        me.runs_alone.store(true, std::memory_order_relaxed);
        os::set_signal_mask(me.signals);
    } else {
        os::set_signal_mask(g.signals);
    }
    sanitizer::leaves(&me);
    arch::switch_stack(&me.stack_pointer, me.landed_from, payload_of(me, After::nothing));
    __builtin_unreachable();
}

// By itself: AddressSanitizer would take the frame of a function that never returns, and its objects, for alive.
GOSSAMER_UNCHECKED void let_signals_in(const Fiber& me) {
    os::set_signal_mask(me.signals);
    os::block_signals();
}

// On the frames of a fiber at rest.
[[noreturn]] GOSSAMER_UNCHECKED void run_handlers(void* payload) {
    Fiber& me = *static_cast<Fiber*>(payload);
    let_signals_in(me);
    arch::switch_stack(&me.landed_from, me.lender_pointer, nullptr);
    __builtin_unreachable();
}

}  // namespace

void prepare_landing(Fiber& next) {
    next.landed_from = next.stack_pointer;
    next.stack_pointer = arch::prepare(next.stack_pointer, land);
}

void take_signals(Fiber& fiber) {
    Carrier* const carrier = fiber.carrier;
    fiber.carrier = nullptr;  // a handler that yields finds that it runs on none
    arch::switch_stack(&fiber.lender_pointer, arch::prepare(fiber.stack_pointer, run_handlers), &fiber);
    fiber.carrier = carrier;
}

void switch_to(Fiber& from, Fiber& to, After after) { switch_here(from, to, after); }

void hand_over(Fiber& from, Item item, After after) { hand_over_here(from, item, after); }

namespace {

// As find_work does, by which next_local is called.
GOSSAMER_INLINE Item next_or_theft(Carrier& carrier) {
    if (GOSSAMER_UNLIKELY(makes_way(carrier))) return find_work(carrier, look_around);
    const Item item = next_here(carrier);
    return item ? item : look_around(carrier);
}

// Whether a native thread's own fiber is where it may run queued work.
bool is_at_home(const Fiber& me) { return me.own != nullptr && me.carrier == me.own && !makes_way(*me.own); }

}  // namespace

// A home with work queued beside it takes the same path as all other fibers, and hardly a longer one.
void suspend() {
    Fiber& me = *self();
    if (!me.permit.notified()) {
        const bool native = me.kind == Kind::native;
        Item item;
        if (GOSSAMER_LIKELY(!native)) {
            item = next_or_theft(*me.carrier);
        } else if (is_at_home(me)) {
            item = next_local(*me.own);
        }
        if (!native || item) hand_over_here(me, item, native ? After::home : After::park);
        if (native) {
            me.spun_out &= !item;  // what it has spun for before something else has run says nothing about its next wait
            const bool over = item && me.carrier == me.own && me.permit.notified();
            if (!over) wait_native(me);
        }
    }
    me.permit.reset();
}

[[noreturn]] void fiber_main(void* payload) {
    Fiber& me = first_arrival(payload);
    arrive(me, payload);
    for (;;) {
        if (me.reserved) {
            begin_call(me);
            me.start_call(me.start_argument);
            end_call(me);
            suspend();
            continue;
        }
        Carrier& carrier = *me.carrier;
        Item item = carrier.in_hand;
        carrier.in_hand = Item();
        const bool handed = static_cast<bool>(item);
        if (!item) item = next_here(carrier);
        if (!item) item = look_around(carrier);
        if (!item && (GOSSAMER_UNLIKELY(makes_way(carrier)) || !carrier.claim_home())) {
            search_and_park(carrier, item);
        } else if (!item) {
            item = Item(carrier.home);
            if (GOSSAMER_UNLIKELY(carrier.relief)) leave_apart(me);
        }
        if (mode_is_on(mode_no_calls) && !handed && item.range() != nullptr) {
            hand_over_here(me, split_one(carrier, item), After::spare);
        } else if (Range* const range = item.range()) {
            run_range(me, *range, item.stays());
        } else {
            hand_over_here(me, item, After::spare);
        }
    }
}

}  // namespace gossamer::fiber
