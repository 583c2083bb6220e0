// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The carrier: a native thread that runs the scheduling loop, with its queues.
#pragma once

#include <atomic>
#include <cstdint>

#include "fiber/context.hpp"
#include "fiber/deque.hpp"
#include "fiber/inbox.hpp"
#include "fiber/work.hpp"

namespace gossamer::fiber {

// Counted by the carrier itself, without atomics; summed up at exit for GOSSAMER_STATS.
struct Counters {
    std::uint64_t switches = 0;   // from one fiber to another
    std::uint64_t calls = 0;      // numbers of ranges that ran as plain calls
    std::uint64_t steals = 0;     // fibers and half ranges taken from others
    std::uint64_t parks = 0;      // times it went to sleep in the kernel
};

struct alignas(no_share) Carrier {
    // What others write.
    Inbox inbox;   // ready fibers; anyone may take them all
    Inbox pinned;  // light fibers, which only this carrier may run
    alignas(no_share) std::atomic<std::uint32_t> asleep{0};  // futex word: 1 from announce to unpark
    Deque<Item> deque;

    // What only its own native thread touches.
    alignas(no_share) Fiber* home = nullptr;  // the native thread's own stack
    Fiber* running = nullptr;                 // what runs on it now
    bool home_yielded = false;                // the home waits for nothing and goes on at the next decision
    bool home_leaves = false;                 // the home waits until `lights` is 0
    std::uint32_t lights = 0;                 // light fibers that are in the middle of a call: only this carrier may run them
    InboxLink* ready_lights = nullptr;        // taken from `pinned`, oldest first
    InboxLink* spares = nullptr;              // fibers of the loop that have nothing to do
    std::uint32_t spare_count = 0;
    std::uint32_t tick = 0;                   // scheduling decisions, so that the oldest get their turn
    std::uint32_t turn = 0;                   // which kind of queue gives its oldest next
    std::uint32_t index = 0;
    Item in_hand;                             // handed by a suspending fiber to the loop that takes over
    Random random{1};
    Counters counters;

    // Nothing waits in queues that this carrier looks at first. Relaxed: see Deque::empty_hint.
    bool nothing_queued() const {
        return deque.empty_hint() && inbox.empty_hint() && ready_lights == nullptr && pinned.empty_hint();
    }

    // The home is ready. It must not be the one that asks.
    bool home_wants() const { return home_yielded || home->permit.notified(); }
};

}  // namespace gossamer::fiber
