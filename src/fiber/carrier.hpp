// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The carrier: a native thread that runs the scheduling loop, with its queues.
//
// Its fields are grouped by the threads that write them, since a line that two threads write goes back and forth between
// them: the inboxes, which any thread fills; what wakers, takers of homes and the monitor touch, mostly while the carrier
// sleeps; the deque, which keeps its owner's line from its thieves' by itself; and last what the carrier's own native thread
// writes at every decision, which others only read, and seldom.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "fiber/context.hpp"
#include "fiber/counters.hpp"
#include "fiber/deque.hpp"
#include "fiber/home_place.hpp"
#include "fiber/inbox.hpp"
#include "fiber/moving.hpp"
#include "fiber/nearest.hpp"
#include "fiber/passing.hpp"
#include "fiber/patience.hpp"
#include "fiber/presence.hpp"
#include "fiber/shelf.hpp"
#include "fiber/thief.hpp"
#include "fiber/work.hpp"

namespace gossamer::fiber {

bool nothing_zoned(const Zone& zone);

struct Carrier;

// What a carrier runs. A fiber that becomes ready goes only to a carrier that serves all; thieves take what lies in other
// queues.
enum class Serves : std::uint8_t {
    all,
    one,     // the one item that it was opened for, to relieve another carrier of it
    nobody,  // no native thread serves it now
};

// Where a worker is woken (company.cpp). The worker's while it is awake, its only waker's while it sleeps: the claim and
// `asleep` hand it over. Processors are counted from 1.
struct Placing {
    std::uint32_t woken_by = 0;    // the processor of the waker; 0: the waker does not stay there
    std::uint32_t bound_to = 0;    // the processor that the waker has bound the worker to; 0: to none
    std::uint32_t wakes_left = 0;  // how many more wakers are to do so
};

// How a worker whose home was left hears of orders (roots.cpp). Written by the monitor, by root threads that give orders, and
// by the carrier that takes the home; all relaxed: a lost update costs a wake or a look.
struct HomeCalls {
    std::atomic<std::uint32_t> by_monitor{
        0};  // how often the monitor woke the worker for its home, since another carrier came for it
    std::atomic<std::uint32_t> direct{0};  // how many more orders wake the worker at once for this reason
};

// What the monitor remembers, from its last look, of a root that lingers between two regions (roots.cpp).
struct GapSeen {
    std::uint32_t gap = 0;        // the number of the gap,
    std::uint64_t cpu_ns = 0;     // the native thread's CPU time then,
    std::uint64_t looked_ns = 0;  // and when that was
};

// What the monitor remembers of a carrier from its last look (relief.cpp).
struct Seen {
    bool work = false;
    bool questioned = false;   // what runs apart there was asked whether it passes scheduling points (beat.cpp)
    std::uint16_t silent = 0;  // mark_of what has not answered in time; 0: nothing
    std::uint32_t progress = 0;
    std::uint16_t looks = 0;     // how often it has looked since that progress, at most 65535 times
    std::uint16_t left = 0;      // the number of the proof for which it was left without relief (proof.cpp); 0: it was not
    std::uint32_t asked_us = 0;  // the native thread's CPU time, modulo 2^32 µs, when the carrier was last asked to give way
    std::uint64_t cpu_ns = 0;    // the native thread's CPU time at the last look,
    std::uint64_t begin_ns = 0;  // when that progress was first seen,
    std::uint64_t since_ns = 0;  // and then, or when something was last relieved of it
};

// Relieved work has come to its end, or waits, and the carrier that it was stuck behind had not gone on by then. Whether that
// carrier waited for the work, or computed, the monitor sees by what it does next (habit.cpp). Written by the lender while
// `habit` is null, by the monitor while it is not. The monitor sleeps only when there is none: what would decide it, the CPU
// time of the stuck carrier, wakes no thread.
struct Suspicion {
    std::atomic<Habit*> habit{nullptr};  // the habit that the monitor may teach; null: there is no suspicion
    Behind behind;
    std::uint64_t cpu_ns = 0;   // the CPU time of the relieved work,
    std::uint64_t used_ns = 0;  // and of the stuck carrier by then; 0: the monitor has not looked yet
    std::uint64_t seen_ns = 0;  // the stuck carrier's CPU time at the monitor's last look
};

// A relief carrier's work (apart.cpp). `behind` and `habit` are written by the thread that gives the order, before it; the
// rest by the lender that carries it out.
struct ReliefDuty {
    Fiber* lender = nullptr;                 // its home, kept for the next time
    Behind behind;                           // where the relieved work was stuck
    Habit* habit = nullptr;                  // the habit that the work may teach; null: it teaches none
    std::atomic<std::uint64_t> since_ns{0};  // the lender's CPU time when it began, for the monitor; 0: it rests
    Suspicion suspicion;
};

// Light fibers, which only this carrier may run. Touched by its own native thread only.
struct Lights {
    std::uint32_t in_call = 0;  // how many are in the middle of a call
    Link* ready = nullptr;      // taken from `pinned`, oldest first
};

// Idle fibers of the loop at hand, at most spares_kept. Touched by the carrier's own native thread only.
struct Spares {
    Link* first = nullptr;
    std::uint32_t count = 0;
};

// The last glance at another carrier (queues.cpp). Touched by the carrier's own native thread only.
struct Glanced {
    const Carrier* at = nullptr;  // null: there was nothing to come back for
    std::uint32_t progress = 0;   // how far that carrier had come then
    std::uint64_t when = 0;       // in arch::cycles
};

// Where a spinning carrier is, and which other one it has met there (company.cpp). Written by its own native thread; other
// carriers read `whereabouts`, and a waker `mask`, while the worker sleeps.
struct Company {
    std::atomic<std::uint32_t> whereabouts{0};  // the processor on which it yielded last
    std::uint32_t met_at = 0;                   // the whereabouts of `met` then
    const Carrier* met = nullptr;               // the carrier that it met there
    std::uint64_t no_yield_until = 0;  // in arch::cycles: its last yield gave another thread a long turn; 0: it did not
    Moving moving;                     // how often it may move away from another carrier
    os::CpuMask mask;                  // a worker's: where it might run when it was last woken beside its waker
    std::uint64_t woken_when = 0;      // in arch::cycles; its only waker's, as Placing
};

// A root measures the gaps between its regions (roots.cpp). Touched by its own native thread only.
struct GapMeter {
    Gaps gaps;
    std::uint64_t begin = 0;         // of the gap that is measured, in arch::cycles; 0: none is
    std::uint64_t begin_cpu_ns = 0;  // the native thread's CPU time then
    std::uint64_t next = 0;          // when to measure again, in arch::cycles
};

// What a root knows of its orders to homes that slept (late.cpp), in the region that runs and before. Times in arch::cycles.
// Touched by the root only.
struct Late {
    std::uint32_t homes = 0;      // it has ordered the homes of carriers [1, homes)
    std::uint32_t asleep = 0;     // how many of them slept
    bool alone = false;           // none was woken
    Habit* habit = nullptr;       // of what they run
    std::uint32_t sent = 0;       // how often the monitor had sent for a home by then
    std::uint64_t begin = 0;      // when the root began its own part,
    std::uint64_t own = 0;        // and how long that took
    std::uint64_t a_wake = 0;     // what waking one takes lately; 0: unknown
    std::uint64_t lost = 0;       // by running alone,
    std::uint64_t lost_when = 0;  // as of then
};

struct Sleep;

// How many orders a worker's home takes from one sleep to the next (late.cpp). Touched by the carrier's own native thread only.
struct Sparse {
    std::uint32_t taken = 0;  // the home's orders when it last was about to sleep
    std::uint32_t times = 0;  // how often, one after the other, they had been few since the time before
};

// What a carrier sees of threads that poll (yield.cpp).
struct Polling {
    std::uint64_t gave_way_at = 0;  // when one last gave way on request, in arch::cycles
    std::uint32_t count = 0;        // how often they passed while it was asked, less so many for each step of one that works
    std::uint32_t yields = 0;       // so far
};

struct alignas(no_share) Carrier {
    // Any thread writes these.
    Inbox inbox;   // ready fibers; any carrier may take them all
    Inbox pinned;  // ready light fibers, which only this carrier may run

    // Others read these at each start, so they lie apart from what the carrier writes all the time; and what the monitor writes
    // lies with them, since it looks at `asleep` and `home_place` anyway.
    alignas(no_share) std::atomic<std::uint32_t> asleep{0};  // futex word: 1 from announce to unpark
    Placing placing;
    std::atomic<Zone*> zone{nullptr};  // the zone whose queue it reads, besides the commons; written by the carrier itself
    std::atomic<Serves> serves{Serves::nobody};
    HomePlace home_place;  // not in the home itself, which a root takes along when it ends, while another thread may still look
    HomeCalls home_calls;
    std::atomic<bool> asked{false};  // to give way (give_way.hpp)
    Presence presence;               // a root's
    GapSeen gap_seen;
    Seen seen;
    Shelf shelf;  // idle fibers of the loop beyond its own few: any carrier takes them before it makes new ones
    Deque<Item> deque;

    // What the own native thread touches at every decision, in two lines. Others read `home` under g.lock, and the atomics.
    alignas(no_share) Fiber* home = nullptr;  // the native thread's own stack; null: no native thread serves this carrier
    Fiber* running = nullptr;                 // the fiber that runs on it now
    Item in_hand;                             // what the loop takes next: handed over by a fiber that suspends, or that was
                                              // made ready by the call that the loop has just finished
    bool takes_in_hand = false;               // the latter is welcome: the loop comes to it at once
    bool relief = false;                      // a relief carrier: runs one relieved item, and takes nothing from others
    std::atomic<bool> expects_late{false};    // a root's: homes that it has ordered may lie out (late.cpp)
    bool home_leaves = false;                 // the home waits until no light fiber is in a call
    std::uint32_t index = 0;                  // its slot in g.carriers
    std::uint32_t bound = 0;                  // the zone that its native thread is bound to
    std::atomic<std::uint32_t> progress{0};   // decisions so far: the monitor looks at them
    std::uint32_t turn = 0;                   // which kind of queue gives its oldest item next
    Lights lights;
    Spares spares;
    Random random{1};
    Counters counters;

    // What it touches only now and then.
    Polling polling;
    Passing passing;
    std::uint64_t turn_when = 0;  // when the oldest work last had its turn, in arch::cycles. Making fibers stops this clock
    Glanced glanced;
    Thief thief;
    Patience patience;                           // how long its home looks for work
    const Nearest* nearest = nullptr;            // in which order to steal from the workers and carrier 0; null: any order
    std::atomic<std::int32_t> native_thread{0};  // the kernel's id of its native thread, for the monitor
    std::atomic<bool> looking{false};            // a worker's: its home has no work
    std::atomic<bool> making{false};  // its native thread makes fibers: the monitor takes no sleep of it in the kernel amiss
    bool ends = false;                // a worker's: its native thread returns
    std::atomic<const void*> root{nullptr};  // a root's: what its work belongs to (roots.cpp); others read a hint
    GapMeter gap_meter;
    Late late;               // a root's
    Sparse sparse;           // a worker's, and
    Sleep* sleep = nullptr;  // what it sleeps by, once its home has lain out (late.cpp)
    ReliefDuty duty;
    Company company;

    Carrier() = default;
    Carrier(const Carrier&) = delete;
    Carrier& operator=(const Carrier&) = delete;

    // Whether the queues that this carrier looks at first are empty. Relaxed: see Deque::empty_hint.
    bool nothing_queued() const {
        const Zone* const bound_here = zone.load(std::memory_order_relaxed);
        return nothing_queued_here() && (GOSSAMER_LIKELY(bound_here == nullptr) || nothing_zoned(*bound_here));
    }

    // The same of those among them that are its own.
    bool nothing_queued_here() const {
        return deque.empty_hint() && inbox.empty_hint() && lights.ready == nullptr && pinned.empty_hint();
    }

    // Whether thieves find nothing here.
    bool nothing_for_thieves() const { return deque.empty_hint() && inbox.empty_hint(); }

    // Whether the home is ready. The home itself must not ask.
    bool home_wants() const { return home->wanted(); }

    // Takes the home back from where it was left; false: another thread has taken it elsewhere.
    bool claim_home() { return relief || home_place.claim(); }
};

static_assert(offsetof(Carrier, shelf) + sizeof(Shelf) - offsetof(Carrier, asleep) <= no_share,
              "what others touch is one line pair");
static_assert(offsetof(Carrier, counters) + offsetof(Counters, steals) - offsetof(Carrier, home) <= no_share,
              "what each decision and switch touches is one line pair");

}  // namespace gossamer::fiber
