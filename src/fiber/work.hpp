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

// What work that starts again and again has learned about its need of relief. Relaxed throughout: numbers that are learned from,
// no more.
struct Habit {
    std::atomic<std::uint32_t> reliefs{0};  // recent ones that were needed
    std::atomic<std::uint32_t> wakes{0};    // of its fibers that waited, while it had the habit
    std::uint32_t starts = 0;     // only the owner's, as below: since it began to form, was tried without, or lost one relief
    std::uint32_t confirmed = 0;  // how often it was tried without in vain
};

// The habits of one owner, who keeps them from start to start, by what it starts: a library's calls may spin where the program's own
// do not. Two kinds may share one.
class ReliefRecord {
public:
    /// The habit of what is running, or was last started. Any thread may ask.
    Habit& now() { return *now_.load(std::memory_order_relaxed); }

    /// Makes the habit of `kind`, the address of a function, the present one. The owner's, before it starts that.
    Habit& choose(const void* kind) {
        const std::uint64_t mixed = reinterpret_cast<std::uintptr_t>(kind) * 0x9e3779b97f4a7c15u;
        Habit& habit = habits_[mixed >> (64 - kinds_log2)];
        now_.store(&habit, std::memory_order_relaxed);
        return habit;
    }

    /// For another owner.
    void forget() {
        for (Habit& each : habits_) each.reliefs.store(0, std::memory_order_relaxed);
    }

private:
    static constexpr unsigned kinds_log2 = 5;
    Habit habits_[1u << kinds_log2];
    std::atomic<Habit*> now_{habits_};
};

struct Carrier;

// What something was stuck behind that runs apart: a carrier that ran something else, and came to no scheduling point.
struct Behind {
    const Carrier* stuck = nullptr;  // null: it started apart
    std::uint32_t progress = 0;      // how far that one had come,
    std::uint64_t since_ns = 0;      // and the CPU time of its native thread when it became stuck
};

struct Work : Link {
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

    // `number`, which the caller has taken, as a range of its own; it may be this very one.
    Range& part_of(std::uint32_t number) {
        Range& one = part(*this, number);
        one.span.arm(number, number + 1);
        return one;
    }

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
