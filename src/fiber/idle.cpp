// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a carrier does that has no work left.
//
// A home passes from running through searching to parked, as docs/protocols/idle.md says. It looks for work without being
// counted while its patience lasts (the flat region that comes next must not pay for counting), then counts itself as
// searching, announces that it will sleep, looks at everything once more, and sleeps.

#include "fiber/idle.hpp"

#include "fiber/company.hpp"
#include "fiber/home.hpp"
#include "fiber/late.hpp"
#include "fiber/queues.hpp"
#include "fiber/ready.hpp"
#include "fiber/relief.hpp"
#include "fiber/roots.hpp"
#include "fiber/switch.hpp"
#include "fiber/zone.hpp"

namespace gossamer::fiber {

namespace {

// How often a home without work looks at its own flag and queues before it asks whether to look at others'.
constexpr std::uint32_t looks_at_home = 4;

// Whether other carriers' queues hold work for `thief`; left homes are not counted.
bool anything_queued_elsewhere(const Carrier& thief) {
    const bool own = keeps_to_its_own(thief);
    for (const Carrier& victim : all_carriers()) {
        if (&victim != &thief && (own ? holds_own_range(thief, victim) : holds_work_for(thief, victim))) return true;
    }
    return false;
}

// Whether a carrier that keeps to its own has to look at its queues. A fiber of others is passed on at that look; in the zones
// such work stays where it lies.
bool own_is_queued(const Carrier& carrier) { return !carrier.nothing_queued_here() || holds_own_zoned(carrier); }

// Whether work is ready that a carrier must not sleep through, once it has announced that it will sleep.
bool must_stay_awake(const Carrier& carrier) {
    const bool home_is_here = carrier.running == carrier.home || carrier.home_place.is_out();
    if (home_is_here && carrier.home_wants()) return true;
    if (GOSSAMER_UNLIKELY(crowded()) && is_worker(carrier.index)) {
        return carrier.lights.ready != nullptr || !carrier.pinned.empty_hint();
    }
    return (GOSSAMER_UNLIKELY(keeps_to_its_own(carrier)) ? own_is_queued(carrier) : !carrier.nothing_queued()) ||
           anything_to_steal(carrier);
}

// For a carrier that was parked and goes on to run `item`, or its home, of what waits here. The monitor does not watch the
// homes of parked carriers, so it has to hear of one that is elsewhere. It may also not know of a fiber that was queued while
// the carrier slept: the thread that did so has woken this carrier for it, and told nobody else (published).
void tell_of_the_rest(const Carrier& carrier, Item item) {
    const bool home_waits = carrier.running != carrier.home && item != Item(carrier.home);
    if (GOSSAMER_LIKELY(!home_waits && carrier.nothing_queued())) return;
    std::atomic_thread_fence(std::memory_order_seq_cst);  // pairs with the monitor's, before it looks which carriers are parked
    note_work();
}

void native_wait(Fiber& me) {
    me.native_word.store(0, std::memory_order_relaxed);  // park publishes it
    if (!me.permit.park()) return;
    while (me.native_word.load(std::memory_order_acquire) == 0) os::futex_wait(me.native_word, 0);  // pairs with make_ready
}

}  // namespace

Item find_work(Carrier& carrier, Item (*others)(Carrier& carrier)) {
    if (GOSSAMER_UNLIKELY(makes_way(carrier))) {
        // It does run its own home, if that was left (roots.cpp) and is wanted: no other thread may know.
        const bool wanted = carrier.running != carrier.home && carrier.home_wants() && carrier.claim_home();
        return wanted ? Item(carrier.home) : Item();
    }
    const Item item = next_local(carrier);
    return item ? item : others(carrier);
}

bool anything_to_steal(const Carrier& thief) { return anything_queued_elsewhere(thief) || some_home_is_left(thief); }

bool search_and_park(Carrier& carrier, Item& item) {
    const bool at_home = carrier.running == carrier.home;
    look_for_others(Looker::parking_carrier);
    g.idle.begin_search();
    for (;;) {
        const bool wanted = at_home && carrier.home->wanted();
        if (!wanted) item = find_work(carrier, steal);
        if (wanted || item) {
            tell_of_the_rest(carrier, item);
            if (GOSSAMER_UNLIKELY(crowded())) {
                g.idle.drop_search();  // as in publishing: no carrier is woken, and the monitor knows
                return !wanted;
            }
            unpark_claimed(g.idle.end_search(carrier.index));
            return !wanted;
        }
        carrier.asleep.store(1, std::memory_order_relaxed);  // announce publishes it
        g.idle.announce(carrier.index);
        if (must_stay_awake(carrier) && g.idle.cancel(carrier.index)) {
            carrier.asleep.store(0, std::memory_order_relaxed);  // only a claimant would have written, and there is none
            continue;
        }
        ++carrier.counters.parks;
        if (keeps_to_its_own(carrier)) leave_room(carrier);
        while (carrier.asleep.load(std::memory_order_acquire) != 0) {  // pairs with unpark
            os::futex_wait(carrier.asleep, 1);
        }
        after_wake(carrier);
        note_woken(carrier);
    }
}

namespace {

// Looks for work, not yet counted as searching, from the time `begin` on for `patience` cycles, or less long where the carrier
// has to make way, or another thread the processor. Ends with what it has found in `item`. True: the home itself is wanted.
GOSSAMER_INLINE bool is_wanted_soon(Fiber& home, Carrier& carrier, std::uint64_t begin, std::uint64_t patience, Item& item) {
    for (std::uint32_t look = 1; !item && !makes_way(carrier); ++look) {
        if (home.read_early != nullptr) __builtin_prefetch(home.read_early);
        if (home.wanted()) {
            carrier.patience.short_gap(g.patience.load(std::memory_order_relaxed));
            return true;
        }
        item = next_local(carrier);
        if (item) return false;
        if (look % looks_at_home == 0 || patience == 0) {
            const std::uint64_t now = arch::cycles();
            if (patience == 0) {
                item = steal(carrier);
            } else if (carrier.thief.look_is_due(now, g.slots.load(std::memory_order_relaxed), g.thief_times)) {
                item = look_around(carrier);
            }
            if (item || now - begin >= patience) return false;
            if (look == looks_a_yield) look_for_others(Looker::idle_carrier);
            if (look % looks_a_yield == 0 && !yield_processor(&carrier)) return false;
        }
        arch::pause();
    }
    return false;
}

}  // namespace

void home_wait(Fiber& home) {
    Carrier& carrier = *home.own;
    std::uint64_t patience = home.spun_out ? 0 : patience_of(carrier);
    home.spun_out = false;
    const Raised looking(&carrier.looking);
    for (;;) {
        if (GOSSAMER_UNLIKELY(home.carrier != &carrier)) {
            if (goes_on_away(home)) return;
            come_home(home);
            continue;
        }
        if (home.wanted()) return;
        Item item;
        if (expects_late_home(carrier)) item = take_late_home(carrier);
        const std::uint64_t begin = arch::cycles();
        const auto learn = [&carrier, begin] {
            carrier.patience.learn(arch::cycles() - begin, g.patience.load(std::memory_order_relaxed));
        };
        if (is_wanted_soon(home, carrier, begin, patience, item)) return;
        if (GOSSAMER_UNLIKELY(!item && makes_way(carrier)) && leave_home(home)) continue;
        if (!item && lies_out(carrier) && lie_out(home)) {
            if (home.carrier != &carrier) continue;
            learn();
            patience = patience_of(carrier);
            continue;
        }
        const bool found = item || search_and_park(carrier, item);
        learn();
        if (!found) return;
        looking.set(false);
        hand_over(home, item, After::home);
        looking.set(true);
        patience = patience_of(carrier);
    }
}

void wait_native(Fiber& me) {
    if (me.carrier != nullptr) {
        home_wait(me);
    } else {
        native_wait(me);
    }
}

}  // namespace gossamer::fiber
