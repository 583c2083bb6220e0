// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The carrier: a native thread that runs the scheduling loop, with its queues.
#pragma once

#include <atomic>
#include <cstdint>

#include "fiber/context.hpp"
#include "fiber/counters.hpp"
#include "fiber/deque.hpp"
#include "fiber/home_place.hpp"
#include "fiber/inbox.hpp"
#include "fiber/nearest.hpp"
#include "fiber/presence.hpp"
#include "fiber/shelf.hpp"
#include "fiber/work.hpp"

namespace gossamer::fiber {

bool nothing_zoned(const Zone& zone);

struct Carrier;

// What was relieved has come to its end, or waits, and the one that held it up had not gone on by then. Whether that one waited for
// it, or computed, the monitor sees by what it does next (habit.cpp).
struct Suspicion {
    std::atomic<Habit*> habit{nullptr};  // that it may teach; null: there is none, and a relief carrier may write a new one
    Behind behind;
    std::uint64_t cpu_ns = 0;   // what was needed by the one that was relieved,
    std::uint64_t used_ns = 0;  // and by then by the stuck one; 0: the monitor has not looked yet
};

// What the monitor remembers of a carrier from its last look.
struct Seen {
    bool work = false;
    std::uint32_t progress = 0;
    std::uint32_t looks = 0;     // how often it has looked since that progress
    std::uint64_t cpu_ns = 0;    // the native thread's CPU time at the last look,
    std::uint64_t begin_ns = 0;  // when that progress was first seen,
    std::uint64_t since_ns = 0;  // and then, or when something was last relieved of it
};

// Whom a carrier runs. Who becomes ready is sent only to one that serves all; what lies in the others' queues is for thieves.
enum class Serves : std::uint8_t {
    all,
    one,     // what it was opened for, to relieve another of it
    nobody,  // nobody serves it now
};

struct alignas(no_share) Carrier {
    // What others write.
    Inbox inbox;                                             // ready fibers; anyone may take them all
    Inbox pinned;                                            // light fibers, which only this carrier may run
    alignas(no_share) std::atomic<std::uint32_t> asleep{0};  // futex word: 1 from announce to unpark
    // A worker's, of its wakes (company.cpp). Its own while it is awake, its only waker's while it sleeps.
    std::uint32_t woken_by = 0;        // where the carrier runs that woke it: its processor + 1; 0: nobody stays there
    std::uint32_t placed_on = 0;       // where the waker has bound it: that processor + 1
    std::uint32_t placed_wakes = 0;    // how many more wakes are to do so
    std::atomic<Zone*> zone{nullptr};  // the one whose queue it reads, besides the commons; written by itself
    std::atomic<Serves> serves{Serves::all};
    // Others read it at each start, so it lies apart from what its thread writes all the time. And not with the home, which
    // a root takes along when it ends, while whoever resumed it last may still look.
    HomePlace home_place;
    // A worker's: how often the monitor had to wake it for its home, since others last came for that; and how many more
    // orders wake it at once for this reason.
    std::atomic<std::uint32_t> sent_for{0};
    std::atomic<std::uint32_t> calls_by_name{0};
    Presence presence;                // a root's
    std::uint32_t gap_seen = 0;       // by the monitor: in which gap it lingered at the last look,
    std::uint64_t gap_cpu_ns = 0;     // the native thread's CPU time then,
    std::uint64_t gap_looked_ns = 0;  // and when that was
    Seen seen;                        // the monitor's
    Shelf shelf;  // fibers of the loop that have nothing to do, beyond its own few: anyone takes them before making new ones
    Deque<Item> deque;

    // What its own native thread writes. Others read the atomics, and `home` under g.lock; `behind` and `habit` are whoever's gives a
    // relief carrier its order, until then.
    alignas(no_share) Fiber* home = nullptr;  // the native thread's own stack
    Fiber* running = nullptr;                 // what runs on it now
    Fiber* lender = nullptr;                  // a relief carrier's home, kept for the next time
    bool relief = false;                      // serves one relieved fiber; takes nothing from others
    Behind behind;                            // a relief carrier's: where that fiber was
    Habit* habit = nullptr;                   // that it may teach
    std::atomic<bool> home_yielded{false};    // the home waits for nothing and goes on at the next decision
    bool home_leaves = false;                 // the home waits until `lights` is 0
    bool ends = false;                        // a worker's: its native thread returns
    std::atomic<bool> looking{false};         // a worker's: its home has nothing to do
    std::uint64_t patience = 0;               // how long its home looks for work before it parks, in arch::cycles
    std::uint32_t lights = 0;                 // light fibers that are in the middle of a call: only this carrier may run them
    Link* ready_lights = nullptr;             // taken from `pinned`, oldest first
    Link* spares = nullptr;                   // fibers of the loop that have nothing to do
    std::uint32_t spare_count = 0;            // at most spares_kept
    std::atomic<bool> making{false};          // its native thread makes fibers: if it sleeps in the kernel, that is why
    std::atomic<std::uint32_t> progress{0};   // scheduling decisions: the oldest get their turn by it, the monitor looks at it
    std::uint32_t turn = 0;                   // which kind of queue gives its oldest next
    const Carrier* glanced = nullptr;         // which other one it has looked at last, now and then,
    std::uint32_t glanced_at = 0;             // and how far that one had come,
    std::uint64_t glanced_when = 0;           // in arch::cycles
    std::atomic<std::uint32_t> whereabouts{0};  // the processor on which it yielded last (company.cpp)
    const Carrier* company = nullptr;           // the one that it met there,
    std::uint32_t company_was = 0;              // and that one's whereabouts then
    std::uint64_t no_yield_until = 0;           // in arch::cycles: who was there had a long turn by its last yield; 0: nobody
    std::uint64_t parted_when = 0;              // in arch::cycles: when it left one last
    Gaps gaps;                                  // a root's, between its regions (roots.cpp),
    std::uint64_t gap_begin = 0;                // when this one began, in arch::cycles, if it is measured; else 0,
    std::uint64_t gap_begin_cpu_ns = 0;         // and the native thread's CPU time then
    std::uint64_t gap_next = 0;                 // when one is to be measured again, in arch::cycles
    std::uint32_t index = 0;
    std::atomic<std::int32_t> native_thread{0};  // the kernel's id of the one that serves it, for the monitor
    std::uint32_t bound = 0;                     // the zone that its native thread is bound to
    Item in_hand;                                // what the loop takes next: handed over by a fiber that suspends, or that was
                                                 // made ready by what the loop is just through with
    bool takes_in_hand = false;                  // the latter is welcome: the loop comes to it at once
    const Nearest* nearest = nullptr;            // whom to steal from, among the workers and carrier 0; null: anybody
    Random random{1};
    Counters counters;
    os::CpuMask mask;  // a worker's: where it may run; as of when it was last woken beside its waker
    // A relief carrier's, for the monitor.
    std::atomic<std::uint64_t> apart_since_ns{0};  // that of its own when it began; 0: it rests
    Suspicion suspicion;

    Carrier() = default;
    Carrier(const Carrier&) = delete;
    Carrier& operator=(const Carrier&) = delete;

    // Nothing waits in queues that this carrier looks at first. Relaxed: see Deque::empty_hint.
    bool nothing_queued() const {
        const Zone* const bound_here = zone.load(std::memory_order_relaxed);
        return deque.empty_hint() && inbox.empty_hint() && ready_lights == nullptr && pinned.empty_hint() &&
               (GOSSAMER_LIKELY(bound_here == nullptr) || nothing_zoned(*bound_here));
    }

    // The home is ready. It must not be the one that asks.
    bool home_wants() const { return home->wanted() || home_yielded.load(std::memory_order_relaxed); }

    // Takes the home back from where it was left; false: the monitor has taken it elsewhere.
    bool claim_home() { return relief || home_place.claim(); }
};

}  // namespace gossamer::fiber
