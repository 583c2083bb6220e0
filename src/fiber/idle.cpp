// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Waiting: on a flag by spinning, for a permit by suspending, and what a carrier does that has nothing left to do.
//
// A home passes from running through searching to parked, as docs/protocols/idle.md says. It looks for work without
// being counted while its patience lasts (the flat region that comes next must not pay for counting), then counts itself
// as searching, announces that it will sleep, looks at everything once more, and sleeps.

#include "fiber/scheduler.hpp"

namespace gossamer::fiber {

namespace {

constexpr std::uint32_t looks_at_own = 32;  // looks at the own flag and queues for one look at the others'

bool anything_to_steal(const Carrier& thief) {
    const std::uint32_t slots = g.slots.load(std::memory_order_acquire);  // pairs with the store after a new carrier
    for (std::uint32_t index = 0; index < slots; ++index) {
        const Carrier* const victim = g.carriers[index].load(std::memory_order_acquire);
        if (victim == nullptr || victim == &thief) continue;
        if (!victim->deque.empty_hint() || !victim->inbox.empty_hint()) return true;
    }
    return false;
}

// What a carrier must not sleep through.
bool must_stay_awake(const Carrier& carrier) {
    const bool home_is_here =
        carrier.running == carrier.home || carrier.home_place.load(std::memory_order_seq_cst) == Place::out;
    return (home_is_here && carrier.home_wants()) || !carrier.nothing_queued() || anything_to_steal(carrier);
}

void native_wait(Fiber& me) {
    me.native_word.store(0, std::memory_order_relaxed);  // park publishes it
    if (!me.permit.park()) return;
    while (me.native_word.load(std::memory_order_acquire) == 0) os::futex_wait(me.native_word, 0);  // pairs with make_ready
}

}  // namespace

bool search_and_park(Carrier& carrier, Item& item) {
    g.idle.begin_search();
    for (;;) {
        const bool wanted = carrier.running == carrier.home && carrier.home->permit.notified();
        if (!wanted) {
            item = next_local(carrier);
            if (!item) item = steal(carrier);
        }
        if (wanted || item) {
            const int next = g.idle.end_search(carrier.index);
            if (next != EventCount::nobody) unpark(*g.carriers[next].load(std::memory_order_acquire));
            return !wanted;
        }
        carrier.asleep.store(1, std::memory_order_relaxed);  // announce publishes it
        g.idle.announce(carrier.index);
        if (must_stay_awake(carrier) && g.idle.cancel(carrier.index)) {
            carrier.asleep.store(0, std::memory_order_relaxed);  // only a claimant would have written, and there is none
            continue;
        }
        ++carrier.counters.parks;
        while (carrier.asleep.load(std::memory_order_acquire) != 0) {  // pairs with unpark
            os::futex_wait(carrier.asleep, 1);
        }
    }
}

void come_home(Fiber& home) { switch_to(home, *home.carrier->home, After::come_home); }

void home_wait(Fiber& home, bool spun) {
    Carrier& carrier = *home.own;
    std::uint64_t patience = spun ? 0 : g.patience_cycles;
    for (;;) {
        if (home.permit.notified()) return;
        if (GOSSAMER_UNLIKELY(home.carrier != &carrier)) {
            come_home(home);
            continue;
        }
        Item item;
        const std::uint64_t begin = arch::cycles();
        for (std::uint32_t look = 1;; ++look) {
            if (home.permit.notified()) return;
            item = next_local(carrier);
            if (item) break;
            if (look % looks_at_own == 0 || patience == 0) {
                item = steal(carrier);
                if (item || arch::cycles() - begin >= patience) break;
            }
            arch::pause();
        }
        if (!item && !search_and_park(carrier, item)) return;
        hand_over(home, item, After::home);
        patience = g.patience_cycles;
    }
}

bool spin_until(bool (*done)(const void* argument), const void* argument) {
    if (done(argument)) return true;
    Fiber& me = *self();
    Carrier* const carrier = me.carrier;
    if (GOSSAMER_UNLIKELY(chaos_on.load(std::memory_order_relaxed))) return false;
    const bool home = me.kind == Kind::native && carrier != nullptr;
    const std::uint64_t patience = home ? g.patience_cycles : g.fiber_patience_cycles;
    const std::uint64_t begin = arch::cycles();
    for (std::uint32_t look = 1;; ++look) {
        arch::pause();
        if (done(argument)) return true;
        if (carrier != nullptr) {
            if (!carrier->nothing_queued()) return false;
            if (!home && carrier->home_wants()) return false;
        }
        if (look % looks_at_own == 0) {
            if (arch::cycles() - begin >= patience) return false;
            if (carrier != nullptr && anything_to_steal(*carrier)) return false;
        }
    }
}

bool nothing_queued() {
    const Carrier* const carrier = self()->carrier;
    return carrier == nullptr || carrier->nothing_queued();
}

void suspend() {
    Fiber& me = *self();
    if (!me.permit.notified()) {
        if (me.kind != Kind::native) {
            Carrier& carrier = *me.carrier;
            Item item = next_local(carrier);
            if (!item) item = steal(carrier);
            hand_over(me, item, After::park);
        } else if (me.carrier != nullptr) {
            home_wait(me, true);
        } else {
            native_wait(me);
        }
    }
    me.permit.reset();
}

bool yield() {
    Fiber& me = *self();
    Carrier* const carrier = me.carrier;
    if (carrier == nullptr || (me.kind == Kind::native && carrier != me.own)) {
        os::yield_native();
        return false;
    }
    Item item = next_local(*carrier, true);
    if (!item) item = steal(*carrier);
    if (!item) return false;
    if (me.kind == Kind::native) {
        // Not by its permit: that may be there already for a wait that comes next.
        carrier->home_yielded.store(true, std::memory_order_relaxed);  // published by the store of the place
        hand_over(me, item, After::home);
        carrier->home_yielded.store(false, std::memory_order_relaxed);
    } else {
        hand_over(me, item, After::yield);
    }
    return true;
}

void chaos_step() {
    Fiber& me = *self();
    Carrier* const carrier = me.carrier;
    if (carrier == nullptr || carrier->running != &me || carrier->random.one_in(2)) return;
    if (me.kind == Kind::native || carrier->random.one_in(2)) {
        yield();
        return;
    }
    Item item = next_local(*carrier, true);
    if (!item) item = steal(*carrier);
    hand_over(me, item, After::chaos);
}

}  // namespace gossamer::fiber
