// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Orders to homes whose native threads sleep.
//
// To wake a native thread takes its waker some microseconds, and as much again, or ten times as much, passes until it runs: on
// a virtual machine some 15 and 50 us. A program with long serial parts pays that for each region, and mostly the region is
// over by then as far as the other threads are concerned. So
//
//   - a home that takes few orders from one sleep to the next lies out while its native thread sleeps: its context is saved,
//     and that thread sleeps on a fiber of the loop. The root that has ordered it runs it, by the home's own thread pointer, as
//     soon as the root has nothing else to do, at the join or in any other wait; or its own native thread does, if that comes
//     first. The place decides (home_place.hpp);
//   - where the work is known to be short, the root wakes nobody.
//
//   the root                                     the worker
//   order                                        leave the home: place out
//   fence                                        announce: bit, fence
//   the bit is set:                              the home wanted? cancel, claim_home
//     claim it, unpark;  or nothing              sleep
//   own part; at its first wait                  (woken) the home wanted? claim_home
//   place out and wanted: take, run it           none of it: sleep again
//   the home waits or is through: come_home      ...
//
// Why no order is forgotten. If nobody was woken the root itself is the one who runs the home, and no wait of the root ends
// before it has looked for such homes (home_wait). It is not forgotten meanwhile either, if the root spins by its own means: a
// root leaves a home asleep only if the monitor dozes, or is awake; and the monitor finds a wanted home on a carrier that
// sleeps, and wakes that (send_home in relief.cpp). If the worker was woken, it looks for its home before anything else. If the
// root has taken the home by then, the home comes back: come_home stores `out`, passes a fence, and calls its carrier if it is
// wanted again.
//
// What is short. Of each function (Habit) the root keeps how long a part of its work takes: its own part, from behind the
// orders to the join, or, where the root may have run all parts, an even share of the whole. And it keeps how long a wake takes
// the waker; each woken worker, how long ago it was woken when it runs. Nobody is woken if the root can run the parts of all
// sleepers in the time until the last of them would run. A part that grows counts at once, one that shrinks little by little:
// an order that wakes nobody for work that is long this time, or in which a thread waits for another by its own means, costs
// what passes until the monitor's look, some 20 ms. Each time that the monitor had to send for a home makes the part shrink
// more slowly from then on.
//
// The delay shrinks, too, so that some order wakes somebody in any case, and shows whether it is still what it was.
//
// What the root runs alone is time lost if such regions follow each other so closely that carriers, once woken, would find the
// next one before their patience ends. So these times add up, less a 256th of the time that passes; when they have come to the
// price of the wakes, and the last gap was no longer than that patience, the root wakes the sleepers.

#include "fiber/late.hpp"

#include <algorithm>
#include <cstdlib>
#include <new>

#include "fiber/home.hpp"
#include "fiber/idle.hpp"
#include "fiber/one_to_one.hpp"
#include "fiber/ready.hpp"
#include "fiber/relief.hpp"
#include "fiber/roots.hpp"
#include "fiber/stock.hpp"
#include "fiber/switch.hpp"

namespace gossamer::fiber {

namespace {

constexpr std::uint32_t few_orders = 32;       // a home that takes no more before it sleeps again
constexpr std::uint32_t times_sparse = 2;      // so often in a row lies out
constexpr std::uint32_t delays_to_end = 4;     // where no part is longer than the root's, it is over so soon after that
constexpr std::uint32_t lost_at_most = 256;    // of so much time, one part may be lost
constexpr std::uint32_t forgotten_log2 = 3;    // a habit's part shrinks by one of 8 at a time, and more slowly,
constexpr std::uint8_t most_misjudged = 8;     // by one of twice as many for each time, up to so many, that was misjudged
constexpr std::uint64_t cycles_a_unit = 16;    // of Habit::part
constexpr std::uint64_t delay_forgotten = 32;  // where nobody is woken the delay shrinks by one of so many, until somebody is
constexpr std::uint32_t looks_without = 64;    // the monitor dozes so long after the last order that has woken nobody

// How many orders need have woken nobody; relaxed: a hint for the monitor, which has its own copy.
constinit std::atomic<std::uint32_t> left{0};
// How long passes from a wake to the steps of the woken thread, in arch::cycles; 0: unknown. relaxed: statistics.
constinit std::atomic<std::uint64_t> delay{0};
constinit std::uint32_t left_before = 0, quiet_looks = 0;  // the monitor's

// A light fiber runs by its home's thread pointer. Bound work stays with carriers that are bound likewise.
bool may_lie_out() {
    return !one_to_one() && !g.light_fibers.load(std::memory_order_relaxed) && g.zones == nullptr &&
           !g.closing.load(std::memory_order_relaxed);
}

// Whether the root may as well run the parts of `asleep` homes itself. Counts that in.
bool is_short(Late& late, std::uint32_t asleep, std::uint64_t now) {
    const std::uint64_t part = late.habit->part * cycles_a_unit;
    if (part == 0) return false;
    const std::uint64_t last = delay.load(std::memory_order_relaxed);
    const std::uint64_t price = late.a_wake * (asleep - 1) + last, alone = part * asleep;
    if (alone > price) return false;
    delay.store(last - last / delay_forgotten, std::memory_order_relaxed);
    const std::uint64_t gap = now - late.lost_when, paid = gap / lost_at_most;
    late.lost_when = now;
    late.lost = (late.lost > paid ? late.lost - paid : 0) + alone;
    if (gap >= g.patience.load(std::memory_order_relaxed) || late.lost <= price) return true;
    late.lost = 0;
    return false;
}

// With another sample, which may be far too large: the thread was preempted.
std::uint64_t learned(std::uint64_t cycles, std::uint64_t sample) {
    return cycles == 0 ? sample : (3 * cycles + std::min(sample, 2 * cycles)) / 4;
}

// A part of the habit's work has taken so long.
void learn_part(Habit& habit, std::uint64_t cycles) {
    const std::uint64_t sample = cycles / cycles_a_unit + 1, before = habit.part;
    const std::uint64_t part = sample >= before ? sample : before - ((before - sample) >> (forgotten_log2 + habit.misjudged));
    habit.part = static_cast<std::uint32_t>(std::min<std::uint64_t>(part, UINT32_MAX));
}

// Whether the monitor will come by without being woken. If not, it is roused for the next time. Either way it goes on to doze.
bool monitor_dozes() {
    left.store(left.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    if (g.monitor.watch.will_look()) return true;
    look_later();
    return false;
}

// How often the monitor has sent for a home. relaxed: the root that compares it does so behind the home's answer.
constinit std::atomic<std::uint32_t> sent{0};

// What the loop calls then.
void sleep_out(Range&, std::uint32_t, Fiber& me) {
    Carrier& carrier = *me.carrier;
    Item item;
    search_and_park(carrier, item);
    carrier.in_hand = item;
    --carrier.counters.calls;  // the loop takes it for a thread's
}

// False: there is no memory.
bool has_sleep(Carrier& carrier) {
    if (carrier.sleep != nullptr) return true;
    void* const memory = std::malloc(sizeof(Sleep));
    if (memory == nullptr) return false;
    carrier.sleep = ::new (memory) Sleep;
    carrier.sleep->range.call = sleep_out;
    carrier.sleep->range.unfinished = &carrier.sleep->unfinished;
    carrier.sleep->range.last = [](Range&) {};
    return true;
}

}  // namespace

bool lies_out(Carrier& carrier) {
    // relaxed: the home is here, and about to wait
    const std::uint32_t taken = carrier.home->taken.load(std::memory_order_relaxed);
    const std::uint32_t since = taken - carrier.sparse.taken;
    carrier.sparse.taken = taken;
    if (since != 0) carrier.sparse.times = since <= few_orders ? carrier.sparse.times + 1 : 0;
    return carrier.sparse.times >= times_sparse && is_worker(carrier.index) && may_lie_out();
}

bool lie_out(Fiber& home) {
    Carrier& carrier = *home.carrier;
    Fiber* const spare = has_sleep(carrier) ? take_full_spare(carrier) : nullptr;
    if (spare == nullptr) {
        carrier.sparse.times = 0;  // it tries again later
        return false;
    }
    Sleep& sleep = *carrier.sleep;
    sleep.range.span.arm(0, 1);
    sleep.unfinished.store(1, std::memory_order_relaxed);  // only this native thread counts it down
    carrier.in_hand = Item(&sleep.range);
    switch_to(home, *spare, After::lie_out);
    return true;
}

bool call_sleepers(Carrier& root, std::uint32_t homes, bool more, ReliefRecord& record, const void* kind) {
    std::uint32_t asleep = 0;
    bool all_out = true;
    for (std::uint32_t index = 1; index < homes; ++index) {
        if (!g.idle.still_asleep(index)) continue;
        ++asleep;
        all_out &= carrier_at(index).home_place.is_out();
    }
    if (asleep == 0) return false;
    Late& late = root.late;
    root.expects_late.store(true, std::memory_order_relaxed);
    late.homes = homes;
    late.asleep = asleep;
    late.habit = &record.habit_of(kind);
    late.begin = arch::cycles();
    late.sent = sent.load(std::memory_order_relaxed);
    late.alone = all_out && !more && may_lie_out() && is_short(late, asleep, late.begin) && monitor_dozes();
    if (late.alone) return true;
    std::uint32_t woken = 0;
    const std::uint64_t before = arch::cycles();
    for (std::uint32_t index = 1; index < homes; ++index) {
        if (!g.idle.still_asleep(index)) continue;
        woken += wake_if_asleep(carrier_at(index));
    }
    late.begin = arch::cycles();
    if (woken != 0) late.a_wake = learned(late.a_wake, (late.begin - before) / woken);
    return true;
}

void note_woken(const Carrier& carrier) {
    const std::uint64_t passed = arch::cycles() - carrier.company.woken_when;
    delay.store(learned(delay.load(std::memory_order_relaxed), passed), std::memory_order_relaxed);
}

void end_own_part() {
    Late& late = self()->own->late;
    late.own = arch::cycles() - late.begin;
}

void end_late_orders() {
    Carrier& root = *self()->own;
    Late& late = root.late;
    root.expects_late.store(false, std::memory_order_relaxed);
    const std::uint64_t whole = arch::cycles() - late.begin;
    if (late.alone) {
        if (sent.load(std::memory_order_relaxed) != late.sent && late.habit->misjudged < most_misjudged)
            ++late.habit->misjudged;
        learn_part(*late.habit, whole / (late.asleep + 1));
    } else {
        // Where the others came to their end much later, theirs are the long parts.
        const std::uint64_t soon = delays_to_end * delay.load(std::memory_order_relaxed);
        learn_part(*late.habit, whole - late.own < soon ? late.own : whole);
    }
}

Item take_late_home(Carrier& root) {
    if (!expects_late_home(root)) return Item();
    // From behind: those before were woken earlier.
    std::uint32_t index = std::min(root.late.homes, g.workers.load(std::memory_order_relaxed));
    while (index > 1) {
        Carrier& worker = carrier_at(--index);
        if (worker.home_place.is_out() && worker.home_wants() && take_home(worker)) return Item(worker.home);
    }
    root.expects_late.store(false, std::memory_order_relaxed);
    return Item();
}

void note_sent() { sent.fetch_add(1, std::memory_order_relaxed); }

bool sleepers_are_left() {
    const std::uint32_t now = left.load(std::memory_order_relaxed);
    quiet_looks = now == left_before ? quiet_looks + 1 : 0;
    left_before = now;
    return now != 0 && quiet_looks < looks_without;
}

}  // namespace gossamer::fiber
