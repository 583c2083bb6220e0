// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <atomic>
#include <cstdint>

#include "fiber/inbox.hpp"
#include "fiber/span.hpp"

// What waits in a carrier's queues: ready fibers, and ranges of work that start as plain calls.

namespace gossamer::fiber {

struct Fiber;
struct Zone;

// What work that starts again and again has learned about its need of relief. It lies with the work's owner, who keeps it
// from start to start. Relaxed throughout: numbers that are learned from, no more.
struct ReliefRecord {
    std::atomic<std::uint32_t> reliefs{0};  // recent ones that were needed
    std::atomic<std::uint32_t> wakes{0};    // of its fibers that waited, while it had the habit
    std::uint32_t starts = 0;               // only the owner's
};

struct Work : InboxLink {
    explicit constexpr Work(bool fiber) : is_fiber(fiber) {}
    const bool is_fiber;
};

// Numbers [lo, hi), each of which is run by one plain call on whatever fiber takes it, in the manner of lazy task
// creation: the range lies in a deque as one item, its holder takes numbers from the front, thieves take the upper half
// and leave the item where it is (docs/protocols/ranges.md).
//
// Ranges lie in type-stable memory: a deque may still hold a pointer to one whose region is over. The functions are
// constants of the memory's owner and are called only for numbers that were taken, so for a live region.
struct Range : Work {
    // Runs one number on the caller's fiber `me`; may suspend.
    using Call = void (*)(Range& range, std::uint32_t number, Fiber& me);
    // Reports how many numbers are finished; after it the caller never touches the range as its holder. Never suspends.
    using Done = void (*)(Range& range, std::uint32_t count);
    // The range in which a thief keeps [lo, …) of this one; it belongs to `lo` alone and is empty.
    using Part = Range& (*)(Range& range, std::uint32_t lo);

    constexpr Range() : Work(false) {}

    Span span;
    Call call = nullptr;
    Done done = nullptr;
    Part part = nullptr;
    ReliefRecord* record = nullptr;
    std::atomic<Zone*> lies_in{nullptr};  // the zone whose queue it is in; written under that queue's lock
};

// One word of a deque. The tag spares a thief a look at a fiber that may be gone.
class Item {
public:
    constexpr Item() = default;
    explicit Item(Fiber* fiber) : word_(reinterpret_cast<std::uintptr_t>(fiber) | fiber_tag) {}
    explicit Item(Range* range) : word_(reinterpret_cast<std::uintptr_t>(range)) {}

    explicit operator bool() const { return word_ != 0; }
    bool operator==(const Item&) const = default;
    Fiber* fiber() const { return (word_ & fiber_tag) != 0 ? reinterpret_cast<Fiber*>(word_ & ~fiber_tag) : nullptr; }
    Range* range() const { return (word_ & fiber_tag) == 0 ? reinterpret_cast<Range*>(word_) : nullptr; }

private:
    static constexpr std::uintptr_t fiber_tag = 1;
    std::uintptr_t word_ = 0;
};

}  // namespace gossamer::fiber
