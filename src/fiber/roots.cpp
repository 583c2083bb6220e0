// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Several native threads in parallel regions at once, the roots, share the carriers. A root is a carrier itself while it is
// in a region, so workers make way: of workers and roots that take part no more are awake than there may be carriers.
//
//   awake = workers + roots inside, or lingering - those of them that are parked
//
// A root lingers between its regions if its native thread mostly computes or spins there (presence.hpp).
//
// With that many awake, work that becomes visible wakes no carrier (`crowded`); with one more, a worker that comes to its
// loop takes nothing more and parks (`makes_way`). The carriers that are awake find what it leaves in its queues when their own
// are empty: workers all of it, roots what is theirs (below). The monitor sees to the rest.
//
// Why nothing is forgotten. A publisher makes its work visible, then reads how many are awake; a worker that makes way counts
// itself asleep, then reads the number again. A full fence stands between the two steps of each. So of any two of them the
// later sees the earlier. Where the publisher wakes no carrier, the monitor is awake as long as anything is queued
// (relief.cpp): a root that stops taking part just goes, since most are back in their next region at once and have not left
// their CPU; where it stays away the monitor's next look finds that there is room, and wakes a worker. (To wake one in each
// such gap cost two roots with regions of 100 us 3 % of them.) Where there is never room, because all awake carriers run
// something long, the monitor relieves the queued work: a root may wait for it by its own means.
//
// Homes. A root always gives its orders to the same workers' homes, for the sake of their identity. Were these to run on
// their own native threads while as many are awake as there may be, each order would cost a wake and a park in the kernel,
// and there would be too many native threads. So a worker that makes way leaves its home: it parks on a fiber of the loop,
// and the home's context is `out`, for the root that orders it or for a worker, if they have no other work. Such a home runs on
// that carrier with its own thread pointer, as a relieved one does (docs/protocols/relief.md).
//
//   the thread that gives the home an order        a root, or worker, without work      the worker that parked
//   order, or permit                               (steal, must_stay_awake)             home_place: out
//   fence                                          if the place is out, the worker      fence (announce)
//   place out, the worker asleep, crowded:         sleeps, and the home is wanted:      home wanted: cancel, claim_home
//     note_work, and nothing else                  place: out -> away, run it           else park
//   else claim the worker, unpark it               it waits or is through: come_home,
//                                                  place: out, fence, wanted? call again
//
// The swap of the place decides which thread runs the home. Why none is forgotten: the root that gives the order comes to its
// join and looks there, last of all after it has announced that it will sleep. If it cannot have the home then, because the
// worker is awake or another carrier has it away, that carrier looks whether the home is wanted after it has stored `out`, or
// before it sleeps. And where the root never comes, because it spins on what the home is to do, the monitor finds a wanted
// home on a carrier that sleeps, and wakes that (send_home). Where that happens again and again, more and more of the orders
// that follow go to the worker's native thread at once.
//
// A root keeps to its own. What a carrier runs may keep its native thread for as long as it likes, in the kernel or spinning,
// and may wait there for anything the program does. With a worker's native thread, and with the root's own work, that is no
// harm: the rest is relieved, and the root could not leave its region before that work is over anyway. But behind its region a
// root goes on by its own native thread and no other (pass_on). If that ran a thread of another root, which waits for what this
// root is to do next, neither would ever move; and if it computes, this root's region would last as long. So while there are
// several roots, a root's carrier takes from its own queues and from zones only what is of its own (ReliefRecord::root), passes
// what is of others on to workers, and takes from other carriers only its own numbers and fibers that a worker has; and only
// the root that orders the workers' homes runs them. Others' work is for the workers. Its slot may have been a relief
// carrier's: a root takes none in which work was left, and a fiber that has last run there becomes ready elsewhere (must_leave
// in ready.cpp).
//
// A publisher that wakes such a root, or counts on its search, is not let down: the root announces that it will sleep, and
// behind that fence wakes a worker if anything is queued (leave_room); where there are too many awake, the monitor sees to it,
// as above.
//
// With one root, which is nearly always, all this is one load of a line that no thread writes. More roots than carriers are
// left to the kernel's time slices (docs/decisions/0005-roots-and-time-slices.md).

#include "fiber/roots.hpp"

#include "fiber/apart.hpp"
#include "fiber/home.hpp"
#include "fiber/one_to_one.hpp"
#include "fiber/ready.hpp"
#include "fiber/stock.hpp"
#include "fiber/switch.hpp"
#include "fiber/zone.hpp"

namespace gossamer::fiber {

namespace {

constexpr std::uint64_t short_gap_ns = 2'000;                             // no thread sleeps for so little
constexpr std::uint32_t least_to_next_ns = 100'000, varies_ns = 200'000;  // from one measured gap to the next

bool awake_beyond(std::uint32_t most) {
    std::atomic_thread_fence(std::memory_order_seq_cst);  // pairs with announce
    const std::uint32_t all = g.workers.load(std::memory_order_relaxed) - 1 + g.inside.load(std::memory_order_relaxed);
    return all > most + g.idle.counts().sleeping();
}

bool may_leave_homes() {
    // A light fiber runs by its home's thread pointer. Bound work stays with carriers that are bound likewise.
    return g.shared.load(std::memory_order_relaxed) && !one_to_one() && !g.light_fibers.load(std::memory_order_relaxed) &&
           g.zones == nullptr && !g.closing.load(std::memory_order_relaxed);
}

// Measures the gap that begins at `now`. The times are random, so that none of a program's kinds of gap is always missed.
void begin_gap(Carrier& carrier, std::uint64_t now) {
    carrier.gap_meter.begin = now;
    carrier.gap_meter.begin_cpu_ns = os::cpu_time_ns(0);
    carrier.gap_meter.next = now + cycles_in(least_to_next_ns + carrier.random.below(varies_ns));
}

void end_gap(Carrier& carrier) {
    const auto length_ns =
        static_cast<std::uint64_t>(static_cast<double>(arch::cycles() - carrier.gap_meter.begin) / g.cycles_a_ns);
    const std::uint64_t cpu_ns = length_ns < short_gap_ns ? length_ns : os::cpu_time_ns(0) - carrier.gap_meter.begin_cpu_ns;
    carrier.gap_meter.gaps.add(length_ns, cpu_ns);
    carrier.gap_meter.begin = 0;
}

// The root that gives the workers' homes their orders; null: none does. relaxed: a hint.
constinit std::atomic<const void*> owner_of_homes{nullptr};

// A worker whose home is wanted, and whose native thread sleeps; null: there is none that `thief` may run.
Carrier* left_home(const Carrier& thief) {
    if (!may_leave_homes()) return nullptr;
    const void* const root = thief.root.load(std::memory_order_relaxed);
    if (root != nullptr && root != owner_of_homes.load(std::memory_order_relaxed)) return nullptr;
    for (Carrier& worker : all_workers()) {
        if (&worker == &thief || !worker.home_place.is_out()) continue;
        if (g.idle.still_asleep(worker.index) && worker.home_wants()) return &worker;
    }
    return nullptr;
}

}  // namespace

bool others_are_busy() { return crowded(); }

bool too_many_awake(std::uint32_t more) { return awake_beyond(g.config.carriers - 1 + more); }

void belong_to(const void* root, bool homes) {
    self()->own->root.store(root, std::memory_order_relaxed);
    if (homes) owner_of_homes.store(root, std::memory_order_relaxed);
}

void give_up_homes() { owner_of_homes.store(nullptr, std::memory_order_relaxed); }

bool give_away(Item item) {
    Fiber* const fiber = item.fiber();
    if (fiber == nullptr || g.workers.load(std::memory_order_relaxed) < 2) return run_apart(item);
    Carrier& other = another_carrier_for(*fiber);
    other.inbox.push(fiber);
    published(other);
    return true;
}

Link* pass_on_strangers(const Carrier& carrier, Link* newest_first) {
    Link* own = nullptr;
    Link** last = &own;
    while (newest_first != nullptr) {
        Fiber& fiber = *static_cast<Fiber*>(newest_first);
        newest_first = newest_first->next;
        if (!is_own(carrier, fiber.next_record()) && give_away(Item(&fiber))) continue;
        *last = &fiber;
        last = &fiber.next;
    }
    *last = nullptr;
    return own;
}

void leave_room(const Carrier& carrier) {
    if (crowded()) return;  // the monitor is awake, since something is queued
    bool queued = false;
    for (const Carrier& other : all_carriers()) queued |= &other != &carrier && !other.nothing_for_thieves();
    for (Carrier& worker : all_workers()) {
        const Zone* const zone = worker.zone.load(std::memory_order_relaxed);
        if ((queued || (zone != nullptr && !nothing_zoned(*zone))) && wake_if_asleep(worker)) return;
    }
}

void take_part() {
    if (GOSSAMER_LIKELY(!several_roots())) return;
    Carrier& carrier = *self()->carrier;
    const bool anew = carrier.presence.enter();
    if (anew) g.inside.fetch_add(1, std::memory_order_relaxed);  // workers see it at their next look
    if (anew && carrier.gap_meter.gaps.are_busy()) carrier.gap_meter.gaps.slept();
    if (GOSSAMER_UNLIKELY(carrier.gap_meter.begin != 0)) end_gap(carrier);
}

void stop_taking_part(Carrier& carrier) {
    const bool lingers = carrier.gap_meter.gaps.are_busy();
    carrier.presence.leave(lingers);
    if (!lingers) g.inside.fetch_sub(1, std::memory_order_relaxed);  // the monitor sees it
    const std::uint64_t now = arch::cycles();
    if (GOSSAMER_UNLIKELY(now - carrier.gap_meter.next < UINT64_MAX / 2)) begin_gap(carrier, now);
}

void end_taking_part(Carrier& carrier) {
    if (carrier.presence.end()) g.inside.fetch_sub(1, std::memory_order_relaxed);
    carrier.gap_meter.gaps = Gaps();
    carrier.gap_meter.begin = 0;
}

void let_go_of_sleepers() {
    for (Carrier& carrier : all_carriers()) {
        const std::uint32_t gap = carrier.presence.gap();
        if (gap == 0) continue;
        const std::int32_t native = carrier.native_thread.load(std::memory_order_relaxed);
        const std::uint64_t cpu_ns = os::cpu_time_ns(native), now_ns = os::now_ns();
        const bool idle =
            gap == carrier.gap_seen.gap && 4 * (cpu_ns - carrier.gap_seen.cpu_ns) < now_ns - carrier.gap_seen.looked_ns;
        carrier.gap_seen.gap = gap;
        carrier.gap_seen.cpu_ns = cpu_ns;
        carrier.gap_seen.looked_ns = now_ns;
        if (!idle || os::sleep_of(native) == os::Sleep::none) continue;
        if (carrier.presence.let_go(gap)) g.inside.fetch_sub(1, std::memory_order_relaxed);
    }
}

void use_room(Carrier& carrier) {
    if (g.shared.load(std::memory_order_relaxed) && g.idle.counts().sleeping() != 0) published_here(carrier);
}

bool leave_home(Fiber& home) {
    if (!may_leave_homes()) return false;
    Carrier& carrier = *home.carrier;
    Fiber* const spare = take_spare(carrier);
    if (spare->kind == Kind::light) {  // it would run by the home's thread pointer
        put_spare(carrier, *spare);
        return false;
    }
    switch_to(home, *spare, After::home);
    return true;
}

bool some_home_is_left(const Carrier& thief) {
    return GOSSAMER_UNLIKELY(g.shared.load(std::memory_order_relaxed)) && left_home(thief) != nullptr;
}

Item take_left_home(const Carrier& thief) {
    if (GOSSAMER_LIKELY(!g.shared.load(std::memory_order_relaxed))) return Item();
    Carrier* const carrier = left_home(thief);
    if (carrier == nullptr) return Item();
    if (!take_home(*carrier)) return Item();
    if (carrier->home_calls.by_monitor.load(std::memory_order_relaxed) != 0)
        carrier->home_calls.by_monitor.store(0, std::memory_order_relaxed);
    return Item(carrier->home);
}

bool left_to_others(const Carrier& own) {
    return is_worker(own.index) && may_leave_homes() && own.home_place.is_out() &&
           own.home_calls.direct.load(std::memory_order_relaxed) == 0 && crowded();
}

}  // namespace gossamer::fiber
