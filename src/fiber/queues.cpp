// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a carrier does next.
//
// Order: what only this carrier may run, its own deque (newest first: what was born here is still in the cache), its inbox, its
// zone's queue, then other carriers' oldest work. That is last in, first out, by which two fibers that keep waking each other
// would starve all others; so once a millisecond, and whenever a fiber yields, the work comes first that has waited longest, in
// whichever queue.

#include "fiber/queues.hpp"

#include "fiber/apart.hpp"
#include "fiber/idle.hpp"
#include "fiber/ready.hpp"
#include "fiber/roots.hpp"
#include "fiber/zone.hpp"

namespace gossamer::fiber {

namespace {

// At least so long between two glances: each fetches lines that the other carrier writes at every decision.
constexpr double glance_ns = 50'000;

// At least so long between two turns of the oldest work. That is mostly a thread that has not begun, so each turn sets one
// more nested region on its way beside those whose threads wait for each other.
constexpr double turn_ns = 1'000'000;

bool have_passed(double ns, std::uint64_t since, std::uint64_t now) {
    return now - since >= static_cast<std::uint64_t>(ns * g.cycles_a_ns);
}

// Spreads a list that came from an inbox over the carrier's own deque, oldest on top of the stack; returns the oldest.
Item unpack(Carrier& carrier, Link* newest_first) {
    if (newest_first == nullptr) return Item();
    if (keeps_to_its_own(carrier)) {
        newest_first = pass_on_strangers(carrier, newest_first);
        if (newest_first == nullptr) return Item();
    }
    if (newest_first->next != nullptr) {
        do {
            Link* const next = newest_first->next;
            Fiber* const fiber = static_cast<Fiber*>(newest_first);
            if (!carrier.deque.push(Item(fiber))) carrier.inbox.push(fiber);  // no memory to grow: the inbox needs none
            newest_first = next;
        } while (newest_first->next != nullptr);
        // Between the two queues no carrier could see them, and one may have looked just then before it parked.
        published_here(carrier);
    }
    return Item(static_cast<Fiber*>(newest_first));
}

Item take_pinned(Carrier& carrier) {
    if (carrier.lights.ready == nullptr) carrier.lights.ready = Inbox::oldest_first(carrier.pinned.take_all());
    Link* const first = carrier.lights.ready;
    if (first == nullptr) return Item();
    carrier.lights.ready = first->next;
    return Item(static_cast<Fiber*>(first));
}

// The upper half of the victim's oldest range, or that range itself if it has run out and was armed again meanwhile.
Item steal_from(Carrier& victim) {
    for (;;) {
        const auto top = victim.deque.peek_top();
        if (!top.item) break;
        Range* const range = top.item.range();
        if (range == nullptr) {
            if (victim.deque.remove_top(top)) return top.item;
            continue;
        }
        std::uint32_t lo, hi;
        if (range->span.take_half(lo, hi)) {
            Range& part = range->part(*range, lo);
            part.span.arm(lo, hi);
            return Item(&part);
        }
        // Exhausted when we looked. The thread that removes it looks again: its region may have been started anew.
        if (victim.deque.remove_top(top) && !range->span.empty()) return Item(range);
    }
    return Item();
}

// The oldest fiber of a carrier's inbox; the others go back. Meanwhile no carrier could see them, and one may have looked
// just then before it parked.
Item first_of_inbox(Carrier& carrier) {
    Link* list = Inbox::oldest_first(carrier.inbox.take_all());
    if (list == nullptr) return Item();
    Fiber* const first = static_cast<Fiber*>(list);
    list = list->next;
    if (list == nullptr) return Item(first);
    while (list != nullptr) {
        Link* const next = list->next;
        carrier.inbox.push(list);
        list = next;
    }
    published(carrier);
    return Item(first);
}

bool is_range_of_others(const Carrier& carrier, Item item) {
    const Range* const range = item.range();
    return range != nullptr && !is_own(carrier, range->record);
}

// An item that is in no queue; nothing if it is of another root than `carrier`'s, and left to others.
Item unless_given_away(const Carrier& carrier, Item item) {
    const Fiber* const fiber = item.fiber();
    const bool stranger = fiber != nullptr ? !is_own(carrier, fiber->next_record()) : is_range_of_others(carrier, item);
    return item && stranger && give_away(item) ? Item() : item;
}

// What `thief`, a root's that keeps to its own, may take of a worker's. Whose a fiber is shows only when it has been taken.
Item take_own(Carrier& thief, Carrier& victim) {
    if (!is_worker(victim.index)) return Item();
    if (!victim.deque.empty_hint() && !is_range_of_others(thief, victim.deque.peek_top().item)) {
        if (const Item item = unless_given_away(thief, steal_from(victim))) return item;
    }
    return victim.inbox.empty_hint() ? Item() : unpack(thief, victim.inbox.take_all());
}

Item take_from(Carrier& thief, Carrier& victim) {
    Item item;
    if (keeps_to_its_own(thief)) {
        item = take_own(thief, victim);
    } else {
        if (!victim.deque.empty_hint()) item = steal_from(victim);
        if (!item && !victim.inbox.empty_hint()) item = unpack(thief, victim.inbox.take_all());
    }
    if (item) ++thief.counters.steals;
    return item;
}

// Now and then one look at one other carrier, whose work is stuck if it runs something long, or its root is in no region. A
// carrier that makes progress, or fibers, is left alone: otherwise fibers that take turns on one carrier would be torn apart.
Item glance(Carrier& thief, std::uint64_t now) {
    if (!have_passed(glance_ns, thief.glanced.when, now)) return Item();
    thief.glanced.when = now;
    const Carrier* const stuck = thief.glanced.at;
    thief.glanced.at = nullptr;
    // relaxed, all: hints. A wrong one costs a glance, or moves a fiber for nothing.
    if (stuck != nullptr && stuck->progress.load(std::memory_order_relaxed) == thief.glanced.progress &&
        !stuck->making.load(std::memory_order_relaxed)) {
        return take_from(thief, carrier_at(stuck->index));
    }
    const std::uint32_t slots = g.slots.load(std::memory_order_acquire);  // pairs with publish_carrier
    if (slots < 2) return Item();
    const Carrier* const victim = g.carriers[thief.random.below(slots)].load(std::memory_order_acquire);
    if (victim == nullptr || victim == &thief || victim->nothing_for_thieves()) return Item();
    thief.glanced.at = victim;
    thief.glanced.progress = victim->progress.load(std::memory_order_relaxed);
    return Item();
}

// Whether it is time for the oldest work once more.
bool turn_is_due(Carrier& carrier, std::uint64_t now) {
    if (!have_passed(turn_ns, carrier.turn_when, now)) return false;
    carrier.turn_when = now;
    return true;
}

// The item that has waited longest here, from each kind of queue in turn.
Item oldest(Carrier& carrier) {
    for (std::uint32_t look = 0; look < 4; ++look) {
        Item item;
        switch (carrier.turn++ % 4) {
            case 0:
                item = steal_from(carrier);
                if (keeps_to_its_own(carrier)) item = unless_given_away(carrier, item);
                break;
            case 1: item = unpack(carrier, carrier.inbox.take_all()); break;
            case 2: item = take_zoned(carrier); break;
            default: item = take_pinned(carrier); break;
        }
        if (item) return item;
    }
    return Item();
}

}  // namespace

Item newest_of_own(Carrier& carrier) {
    while (Item item = carrier.deque.peek()) {
        const Range* const range = item.range();
        if (range != nullptr && !range->span.empty() && !is_range_of_others(carrier, item)) return item.staying();
        item = carrier.deque.pop_seen(item);
        if (item.is_exhausted()) continue;
        item = unless_given_away(carrier, item);
        if (item) return item;
    }
    return Item();
}

bool holds_own_range(const Carrier& thief, const Carrier& victim) {
    if (!is_worker(victim.index) || victim.deque.empty_hint()) return false;
    const Item top = victim.deque.peek_top().item;
    return top.range() != nullptr && !is_range_of_others(thief, top);
}

bool holds_work_for(const Carrier& thief, const Carrier& victim) {
    if (victim.nothing_for_thieves()) return false;
    if (!keeps_to_its_own(thief)) return true;
    if (!is_worker(victim.index)) return false;
    return !victim.inbox.empty_hint() || !is_range_of_others(thief, victim.deque.peek_top().item);
}

Item next_local(Carrier& carrier, bool fair) { return next_behind(carrier, note_progress(carrier), fair); }

Item next_behind(Carrier& carrier, std::uint32_t progress, bool fair) {
    if (carrier.running != carrier.home && carrier.home_wants() && carrier.claim_home()) return Item(carrier.home);
    // A lender's native thread runs one fiber and no other: its own fiber may be the next that needs relief.
    if (GOSSAMER_UNLIKELY(carrier.relief)) {
        hand_on(carrier);
        return Item();
    }
    if (GOSSAMER_UNLIKELY(progress % decisions_a_clock == 0)) {
        const std::uint64_t now = arch::cycles();
        if (const Item item = glance(carrier, now)) return item;
        fair |= turn_is_due(carrier, now);
    }
    if (fair) return oldest(carrier);
    if (GOSSAMER_UNLIKELY(carrier.lights.ready != nullptr || !carrier.pinned.empty_hint())) {
        if (const Item item = take_pinned(carrier)) return item;
    }
    if (const Item item = newest_of_deque(carrier)) return item;
    const Item item = unpack(carrier, carrier.inbox.take_all());
    return item ? item : take_zoned(carrier);
}

Item steal(Carrier& thief) {
    const std::uint32_t slots = g.slots.load(std::memory_order_acquire);  // pairs with publish_carrier
    if (slots < 2 || thief.relief) return Item();
    // First the homes: a root at its join takes what it ordered itself, and not what another root is about to run itself.
    if (const Item home = take_left_home(thief)) return home;
    const auto ask = [&](std::uint32_t index) {
        Carrier* const victim = g.carriers[index].load(std::memory_order_acquire);
        return victim == nullptr || victim == &thief ? Item() : take_from(thief, *victim);
    };
    std::uint32_t begin = 0;
    if (GOSSAMER_UNLIKELY(thief.nearest != nullptr)) {
        if (const Item item = thief.nearest->walk(thief.random, ask)) return item;
        begin = g.workers.load(std::memory_order_relaxed);  // other roots, wherever they are
        if (begin >= slots) return Item();
    }
    const std::uint32_t count = slots - begin;
    const std::uint32_t first = thief.random.below(count);
    for (std::uint32_t step = 0; step < count; ++step) {
        if (const Item item = ask(begin + (first + step < count ? first + step : first + step - count))) return item;
    }
    return Item();
}

namespace {

// Some other carrier, at random; null: there is none, or its slot is not in use.
const Carrier* other_carrier(Carrier& thief) {
    const std::uint32_t others = g.slots.load(std::memory_order_acquire) - 1;  // pairs with publish_carrier
    if (others == 0) return nullptr;
    const std::uint32_t index = thief.random.below(others);
    return g.carriers[index < thief.index ? index : index + 1].load(std::memory_order_acquire);
}

// A watch reads one line of the other carrier at its beginning, and that line again at its end: thieves that looked at its
// queues would slow down each step of one that makes progress. relaxed, all: hints. A wrong one moves work for nothing, or
// later.
Item look_warily(Carrier& carrier, std::uint64_t now) {
    constexpr std::uint32_t looks_a_size = 8;
    Thief& thief = carrier.thief;
    const Carrier* const watched = thief.watched();
    if (watched == nullptr) {
        const Carrier* const victim = other_carrier(carrier);
        if (victim != nullptr) thief.watch(*victim, victim->progress.load(std::memory_order_relaxed), now);
        return Item();
    }
    if (!thief.has_watched(now, g.thief_times)) return Item();
    const Thief::Seen seen = thief.end_watch(watched->progress.load(std::memory_order_relaxed), now);
    if (seen.decisions == 0) return holds_work_for(carrier, *watched) ? take_from(carrier, carrier_at(watched->index)) : Item();
    if (!carrier.random.one_in(looks_a_size)) return Item();
    if (!Thief::is_backlog(watched->deque.size_hint(), seen, g.thief_times)) return Item();
    thief.expect_short();
    return take_from(carrier, carrier_at(watched->index));
}

}  // namespace

Item look_around(Carrier& carrier) {
    Thief& thief = carrier.thief;
    const std::uint64_t now = arch::cycles();
    thief.judge(now, carrier.counters.switches, g.thief_times);
    Item item;
    if (thief.is_keen()) {
        thief.look(now);
        item = steal(carrier);
    } else if (!carrier.relief) {
        item = take_left_home(carrier);
        if (item) return item;
        item = look_warily(carrier, now);
    }
    if (item) thief.take(now, carrier.counters.switches);
    return item;
}

bool sees_work(Carrier& carrier) {
    if (carrier.thief.is_keen()) return anything_to_steal(carrier);
    const Carrier* const other = other_carrier(carrier);
    return (other != nullptr && holds_work_for(carrier, *other)) || some_home_is_left(carrier);
}

Item take_one(Carrier& victim, bool ranges) {
    for (;;) {
        const auto top = victim.deque.peek_top();
        if (!top.item) break;
        Range* const range = top.item.range();
        if (range != nullptr && !ranges) break;
        std::uint32_t number;
        // The last number: its part is this very range, which then leaves the queue, or it would be taken again.
        if (range != nullptr && range->span.take_last(number)) {
            Range& part = range->part(*range, number);
            if (&part == range) victim.deque.remove_top(top);
            part.span.arm(number, number + 1);
            return Item(&part);
        }
        if (!victim.deque.remove_top(top)) continue;
        if (range == nullptr) return top.item;
        if (!range->span.empty()) return Item(range);  // armed anew meanwhile, and in no queue now
    }
    return first_of_inbox(victim);
}

}  // namespace gossamer::fiber
