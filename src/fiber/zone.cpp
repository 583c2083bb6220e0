// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fiber/zone.hpp"

#include <cstdlib>
#include <new>

#include "fiber/apart.hpp"
#include "fiber/ready.hpp"
#include "fiber/relief.hpp"
#include "fiber/roots.hpp"

namespace gossamer::fiber {

namespace {

constinit std::atomic<bool> said_unbound{false};

Zone& commons() { return g.zones[0]; }

Work& work_of(Link& link) { return static_cast<Work&>(link); }

const ReliefRecord* record_of(const Work& work) {
    return work.is_fiber ? static_cast<const Fiber&>(work).next_record() : static_cast<const Range&>(work).record;
}

// These two under the zone's lock: its holder alone writes the count.
void append(Zone& zone, Link& link) {
    link.next = nullptr;
    (zone.first == nullptr ? zone.first : zone.last->next) = &link;
    zone.last = &link;
    zone.count.store(zone.count.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    if (!work_of(link).is_fiber) {
        // release pairs with remove_from_old_queue.
        static_cast<Range&>(work_of(link)).lies_in.store(&zone, std::memory_order_release);
    }
}

// `before`: null: `link` is the first. A range still says that it lies here: the caller says where it lies now.
void unlink(Zone& zone, Link* before, Link& link) {
    (before == nullptr ? zone.first : before->next) = link.next;
    if (zone.last == &link) zone.last = before;
    zone.count.store(zone.count.load(std::memory_order_relaxed) - 1, std::memory_order_relaxed);
}

// Under the zone's lock. Whether the carrier, if it is a root's that keeps to its own, has to leave that to others.
bool is_strange(const Carrier* reader, const Work& work) { return reader != nullptr && !is_own(*reader, record_of(work)); }

// A range whose numbers were taken by a thread with an old pointer to it may still lie where it was offered last time.
void remove_from_old_queue(Range& range) {
    for (;;) {
        Zone* const zone = range.lies_in.load(std::memory_order_acquire);  // pairs with append and take_from_zone
        if (zone < g.zones || zone > g.zones + g.config.zones) return;     // nowhere, or from before a fork
        SpinGuard guard(zone->lock, os::yield_native);
        if (range.lies_in.load(std::memory_order_relaxed) != zone) continue;  // taken, or moved to the commons meanwhile
        Link* before = nullptr;
        // It lies in none if this zone has the memory of one that it lay in before all carriers were closed.
        for (Link* at = zone->first; at != nullptr; before = at, at = at->next) {
            if (at != &range) continue;
            unlink(*zone, before, range);
            break;
        }
        range.lies_in.store(nullptr, std::memory_order_relaxed);
        return;
    }
}

// After an item of `record` was put there: wakes a sleeping carrier that reads the queue and may run it, if there is one.
void published_in(const Zone& zone, const ReliefRecord* record) {
    std::atomic_thread_fence(std::memory_order_seq_cst);  // pairs with announce
    note_work();
    if (g.idle.counts().sleeping() == 0 || crowded()) return;
    for (Carrier& carrier : all_carriers()) {
        if (!g.idle.still_asleep(carrier.index) || (keeps_to_its_own(carrier) && !is_own(carrier, record))) continue;
        const Zone* const served = carrier.zone.load(std::memory_order_relaxed);
        if (served == nullptr || (served != &zone && &zone != &commons())) continue;
        if (wake_if_asleep(carrier)) return;
    }
}

void put(std::uint32_t number, Work& work) {
    Zone* zone = &g.zones[number];
    const ReliefRecord* const record = record_of(work);  // the work may be gone as soon as it lies there
    {
        SpinGuard guard(zone->lock, os::yield_native);
        // With several roots only workers count: a root may run no work of others, and if there are many roots workers make
        // way.
        const std::uint32_t strangers = GOSSAMER_UNLIKELY(several_roots()) ? zone->roots : 0;
        if (zone->servers != strangers && !crowded()) {
            append(*zone, work);
        } else {
            zone = nullptr;
        }
    }
    if (zone == nullptr) {
        zone = &commons();
        SpinGuard guard(zone->lock, os::yield_native);
        append(*zone, work);
    }
    published_in(*zone, record);
}

// Under no lock: whether the zone's queue holds something that `reader` may run.
bool holds_own(Zone& zone, const Carrier& reader) {
    if (zone.empty_hint()) return false;
    SpinGuard guard(zone.lock, os::yield_native);
    for (Link* at = zone.first; at != nullptr; at = at->next) {
        if (!is_strange(&reader, work_of(*at))) return true;
    }
    return false;
}

}  // namespace

void make_zones() {
    const std::size_t bytes = (std::size_t{g.config.zones} + 1) * sizeof(Zone);
    void* const memory = std::aligned_alloc(alignof(Zone), bytes);
    if (memory == nullptr) {
        g.config.zones = 0;
        return;
    }
    g.zones = static_cast<Zone*>(memory);
    for (std::uint32_t number = 0; number <= g.config.zones; ++number) ::new (g.zones + number) Zone;
}

void serve_zone(Carrier& carrier, std::uint32_t number, Server server) {
    Zone& zone = g.zones[number];
    {
        SpinGuard guard(zone.lock, os::yield_native);
        ++zone.servers;
        if (server == Server::root) ++zone.roots;
    }
    carrier.zone.store(&zone, std::memory_order_relaxed);  // read by others only to wake it, after a fence
}

void stop_serving(Carrier& carrier) {
    Zone& zone = *carrier.zone.load(std::memory_order_relaxed);
    carrier.zone.store(nullptr, std::memory_order_relaxed);
    for (;;) {
        const ReliefRecord* record;
        {
            SpinGuard guard(zone.lock, os::yield_native);
            if (zone.servers != 1 || zone.first == nullptr || &zone == &commons()) {
                --zone.servers;
                --zone.roots;  // only a root ends its service
                return;
            }
            // Under both locks, so that a range that moves is always found in one of the queues (remove_from_old_queue).
            SpinGuard into(commons().lock, os::yield_native);
            Link& first = *zone.first;
            record = record_of(work_of(first));
            unlink(zone, nullptr, first);
            append(commons(), first);
        }
        published_in(commons(), record);
    }
}

void put_in_zone(Fiber& fiber) { put(fiber.zone, fiber); }

bool holds_own_zoned(const Carrier& carrier) {
    Zone* const zone = carrier.zone.load(std::memory_order_relaxed);
    return zone != nullptr && (holds_own(*zone, carrier) || holds_own(commons(), carrier));
}

bool nothing_zoned(const Zone& zone) { return zone.empty_hint() && commons().empty_hint(); }

Item take_from_zone(Zone& zone, bool ranges, const Carrier* reader) {
    if (zone.empty_hint()) return Item();
    SpinGuard guard(zone.lock, os::yield_native);
    Link* before = nullptr;
    for (Link* at = zone.first; at != nullptr;) {
        Work& work = work_of(*at);
        if (!work.is_fiber && !ranges) break;
        if (is_strange(reader, work)) {
            before = at;
            at = at->next;
            continue;
        }
        if (before == nullptr) zone.taken.store(zone.taken.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
        if (work.is_fiber) {
            unlink(zone, before, *at);
            return Item(&static_cast<Fiber&>(work));
        }
        Range& range = static_cast<Range&>(work);
        std::uint32_t number;
        const bool some = range.span.take_last(number);
        // Out of the queue before the last number's part, which may be this very range, is armed.
        at = range.next;
        if (range.span.empty()) {
            unlink(zone, before, range);
            range.lies_in.store(nullptr, std::memory_order_release);  // pairs with remove_from_old_queue
        }
        if (!some) continue;
        return Item(&range.part_of(number));
    }
    return Item();
}

Item take_zoned(Carrier& carrier) {
    Zone* const zone = carrier.zone.load(std::memory_order_relaxed);
    if (zone == nullptr) return Item();
    const Carrier* const reader = keeps_to_its_own(carrier) ? &carrier : nullptr;
    const Item item = take_from_zone(*zone, true, reader);
    return item ? item : take_from_zone(commons(), true, reader);
}

void settle(Carrier& carrier, std::uint32_t zone) {
    const int code = g.config.bind(zone);
    if (code != 0) say_once(said_unbound, "the system refuses to bind a thread (error %d): threads may move", code);
    carrier.bound = zone;
}

void settle_for(Carrier& carrier, const Fiber& fiber) {
    std::uint32_t zone = fiber.zone;
    const Zone* const served = carrier.zone.load(std::memory_order_relaxed);
    if (zone == 0) {
        // A lender's native thread is its fiber's, which is bound and stays so when it goes on elsewhere.
        if (served == nullptr) return;
        zone = static_cast<std::uint32_t>(served - g.zones);
    }
    if (zone != carrier.bound) settle(carrier, zone);
}

bool zoned() { return g.config.zones != 0; }

std::uint32_t zone() { return self()->zone; }

std::uint32_t bound_zone() {
    const Carrier* const carrier = self()->carrier;
    return carrier == nullptr ? 0 : carrier->bound;
}

void enter_zone(std::uint32_t zone) {
    Fiber& me = *self();
    me.zone = zone;
    if (me.carrier != nullptr && me.carrier->bound != zone) settle_for(*me.carrier, me);
    // The fiber's own pthread, as which the program knows it, gets the same mask.
    if (zone != 0 && me.kind == Kind::full && me.lent_zone != zone) {
        g.config.bind_thread(me.thread, zone);
        me.lent_zone = zone;
    }
}

void leave_zone() { self()->zone = 0; }

void serve(std::uint32_t zone) {
    if (!zoned()) return;
    Carrier& carrier = *self()->own;
    if (carrier.zone.load(std::memory_order_relaxed) == nullptr) serve_zone(carrier, zone, Server::root);
}

void offer_in(Range& range, std::uint32_t zone, bool apart) {
    remove_from_old_queue(range);
    std::uint32_t number;
    while (GOSSAMER_UNLIKELY(apart) && range.span.take_last(number)) {
        Range& part = range.part_of(number);  // `range` itself for the last number to be taken
        if (!run_apart(Item(&part))) {
            if (&part != &range) remove_from_old_queue(part);
            put(zone, part);
        }
        if (&part == &range) return;
    }
    if (!apart) put(zone, range);
}

}  // namespace gossamer::fiber
