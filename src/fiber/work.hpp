// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What waits in a carrier's queues: ready fibers, and ranges of work that start as plain calls.
#pragma once

#include <atomic>
#include <cstdint>

#include "fiber/inbox.hpp"
#include "fiber/span.hpp"

namespace gossamer::fiber {

struct Fiber;
struct Zone;

// What repeated work has learned about its need for relief (habit.cpp). All accesses are relaxed: the numbers are statistics
// and order nothing.
struct Habit {
    std::atomic<std::uint16_t> reliefs{0};  // recent reliefs that were needed
    std::atomic<std::uint16_t> unheard{0};  // so many that seem needed teach nothing (proof.cpp)
    std::atomic<std::uint16_t> wakes{0};    // wakes of the work's fibers, while it had the habit
    std::atomic<bool> proved{false};        // it needs no proof to form, until it is forgotten
    std::uint32_t part = 0;                 // the owner's: how long one thread's part takes (late.cpp); 0: unknown
    std::uint16_t starts = 0;               // the owner's: starts since the habit formed, was tried without, or lost one relief
    std::uint8_t confirmed = 0;             // the owner's: how often a try without the habit failed
    std::uint8_t misjudged = 0;             // the owner's: how often the work was taken for short, and was not (late.cpp)
};

// The habits of one owner, by the function that the work calls: a library's function may spin where the program's own do not.
// The owner keeps the record from start to start. Two functions may share a habit.
class ReliefRecord {
public:
    /// The habit of the work that runs, or was last started. Any thread may ask.
    Habit& now() { return *now_.load(std::memory_order_relaxed); }

    /// The owner, before it starts work that calls the function at address `kind`: makes that habit the present one.
    Habit& choose(const void* kind) {
        Habit& habit = habit_of(kind);
        now_.store(&habit, std::memory_order_relaxed);
        return habit;
    }

    /// The habit of work that calls the function at that address.
    Habit& habit_of(const void* kind) {
        const std::uint64_t mixed = reinterpret_cast<std::uintptr_t>(kind) * 0x9e3779b97f4a7c15u;
        return habits_[mixed >> (64 - kinds_log2)];
    }

    /// Whose work it is: the root that the caller of `belong_to` named (roots.cpp). Any thread may ask. relaxed: what has taken
    /// the work out of a queue orders it; for other work it is a hint.
    const void* root() const { return root_.load(std::memory_order_relaxed); }
    void set_root(const void* root) { root_.store(root, std::memory_order_relaxed); }

    /// Before the record goes to another owner.
    void forget() {
        for (Habit& each : habits_) {
            each.reliefs.store(0, std::memory_order_relaxed);
            each.unheard.store(0, std::memory_order_relaxed);
            each.proved.store(false, std::memory_order_relaxed);
            each.part = 0;
            each.misjudged = 0;
        }
    }

private:
    static constexpr unsigned kinds_log2 = 5;
    Habit habits_[1u << kinds_log2];
    std::atomic<Habit*> now_{habits_};
    std::atomic<const void*> root_{nullptr};
};

struct Carrier;

// The stuck carrier that relieved work was taken from: the carrier ran something else and came to no scheduling point.
struct Behind {
    const Carrier* stuck = nullptr;  // null: the work started apart
    std::uint32_t progress = 0;      // the stuck carrier's progress then,
    std::uint64_t since_ns = 0;      // and its native thread's CPU time when it became stuck
};

struct Work : Link {
    explicit constexpr Work(bool fiber) : is_fiber(fiber) {}
    const bool is_fiber;
};

// Numbers [lo, hi), each of which is run by one plain call on the fiber that takes it, in the manner of lazy task creation
// (Mohr, Kranz, Halstead 1990): the range lies in a deque as one item; its holder takes numbers from the front; a thief takes
// the upper half and leaves the item where it is (docs/protocols/ranges.md).
//
// Ranges lie in type-stable memory: a deque may still hold a pointer to one whose region is over. `call`, `unfinished`, `last`
// and `part` are constants of that memory's owner, and are used only for numbers that were taken, so for a live region.
struct Range : Work {
    // Runs one number on the caller's fiber `me`; may suspend.
    using Call = void (*)(Range& range, std::uint32_t number, Fiber& me);
    // Called by the holder that has brought `unfinished` to zero: wakes a thread that waits for that. Never suspends.
    using Last = void (*)(Range& range);
    // The range in which a thief keeps the numbers [lo, …) that it took; it belongs to number `lo` alone, and is empty.
    using Part = Range& (*)(Range& range, std::uint32_t lo);

    constexpr Range() : Work(false) {}

    // `number`, which the caller has taken, as a range of one number; that range may be this very one.
    Range& part_of(std::uint32_t number) {
        Range& one = part(*this, number);
        one.span.arm(number, number + 1);
        return one;
    }

    // The holder's last step: reports `count` numbers as finished. The holder never touches the range again, unless it has
    // brought the count to zero and wakes the waiter (docs/decisions/0034-as-deep-in-calls.md: mostly nothing is called).
    // seq_cst pairs with the waiter's look at the count: it sees what each number did; and with its step by which it goes to
    // sleep: it sees zero, or `last` sees that it sleeps.
    GOSSAMER_INLINE void finish(std::uint32_t count) {
        if (unfinished->fetch_sub(count, std::memory_order_seq_cst) == count) last(*this);
    }

    Span span;
    Call call = nullptr;
    std::atomic<std::uint32_t>* unfinished = nullptr;  // of all numbers of the region
    Last last = nullptr;
    Part part = nullptr;
    ReliefRecord* record = nullptr;
    std::atomic<Zone*> lies_in{nullptr};  // the zone whose queue it lies in; written under that queue's lock
};

// One word of a deque. A tag tells fiber from range without a look at the fiber, which may be gone. Another tag, which no item
// in a deque has, says that the range was not taken out of the deque of the carrier that has it in hand.
class Item {
public:
    constexpr Item() = default;
    explicit Item(Fiber* fiber) : word_(reinterpret_cast<std::uintptr_t>(fiber) | fiber_tag) {}
    explicit Item(Range* range) : word_(reinterpret_cast<std::uintptr_t>(range)) {}

    explicit operator bool() const { return word_ != 0; }
    bool operator==(const Item&) const = default;
    Fiber* fiber() const { return (word_ & fiber_tag) != 0 ? reinterpret_cast<Fiber*>(word_ & ~fiber_tag) : nullptr; }
    // Whether it is a range without numbers left.
    bool is_exhausted() const {
        const Range* const at = range();
        return at != nullptr && at->span.empty();
    }
    Range* range() const { return (word_ & fiber_tag) == 0 ? reinterpret_cast<Range*>(word_ & ~stays_tag) : nullptr; }

    // The same range, which stays where it lies, in the deque of the carrier that has it in hand.
    Item staying() const {
        Item item = *this;
        item.word_ |= stays_tag;
        return item;
    }
    bool stays() const { return (word_ & stays_tag) != 0; }

private:
    static constexpr std::uintptr_t fiber_tag = 1, stays_tag = 2;
    static_assert(alignof(Range) > stays_tag);
    std::uintptr_t word_ = 0;
};

}  // namespace gossamer::fiber
