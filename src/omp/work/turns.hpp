// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Turns that come in order, each awaited by one thread: whose it is, and where those lie whose turn is still to come.
//
//   waiter for turn t                               the one whose turn it is
//   lie_down: itself into the slot of t, if free    pass: the next turn
//   has_come(t)?                                    whoever lies in the slot of that: taken out, to be resumed
//   yes: get_up; had itself: goes on
//   else: suspends
//
// Dekker's pattern, seq_cst throughout: whichever of "slot filled" and "turn passed" comes second in the one order of these, its
// side sees the other. The exchange on the slot decides who has the waiter, so there is exactly one resume for each suspend.
//
// Turns that are `slots` apart or less mostly have slots of their own. One whose slot is taken waits by other means, and is
// counted among `others` meanwhile, for whom the passer looks in addition. A waiter may be taken out for another's turn, and
// lies down again.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/base.hpp"

namespace gossamer::omp {

template <class Waiter, class A = StdAtomics, unsigned slot_bits = 4>
class BasicTurns {
    using Order = std::memory_order;

public:
    // acquire pairs with pass: what was written in earlier turns is seen.
    bool has_come(std::uint64_t turn) const { return turn_.load(Order::acquire) >= turn; }

    // False: another waiter has the slot.
    bool lie_down(Waiter* me, std::uint64_t turn) {
        Waiter* nobody = nullptr;
        // seq_cst pairs with pass; release: the passer finds what the waiter wrote
        return slot_of(turn).compare_exchange_strong(nobody, me, Order::seq_cst, Order::relaxed);
    }
    // Behind lie_down.
    bool has_come_now(std::uint64_t turn) const { return turn_.load(Order::seq_cst) >= turn; }
    // False: somebody has taken `me` out, and resumes it.
    bool get_up(Waiter* me, std::uint64_t turn) {
        // relaxed: what lies there is the caller's own; of who has taken it the resume tells
        return slot_of(turn).compare_exchange_strong(me, nullptr, Order::relaxed, Order::relaxed);
    }

    // A sequentially consistent fence follows, and then a look: pairs with any_other.
    void begin_other() { others_.fetch_add(1, Order::relaxed); }
    void end_other() { others_.fetch_sub(1, Order::relaxed); }  // a count that is too high for a while costs a look

    // By the one whose turn it is. Whom to resume; null: nobody.
    Waiter* pass(std::uint64_t next) {
        turn_.store(next, Order::seq_cst);  // pairs with has_come_now
        auto& slot = slot_of(next);
        if (slot.load(Order::seq_cst) == nullptr) return nullptr;
        return slot.exchange(nullptr, Order::acquire);  // pairs with lie_down
    }
    // Behind pass: whether somebody may wait by other means.
    bool any_other() const { return others_.load(Order::seq_cst) != 0; }

    // While nobody waits. relaxed: whoever lets threads come here again publishes it (share.cpp, recycle).
    void reset() { turn_.store(0, Order::relaxed); }
    // Those who wait are gone, and the caller is alone: relaxed.
    void forget_waiters() {
        for (auto& slot : slots_) slot.store(nullptr, Order::relaxed);
        others_.store(0, Order::relaxed);
    }

private:
    // Neighbours, and turns at any regular distance, lie apart from each other (Knuth, The Art of Computer Programming 3, §6.4).
    auto& slot_of(std::uint64_t turn) {
        if constexpr (slot_bits == 0) return slots_[0];
        return slots_[turn * 0x9e3779b97f4a7c15u >> (64 - slot_bits) % 64];
    }

    typename A::template Atomic<std::uint64_t> turn_{0};
    typename A::template Atomic<std::uint32_t> others_{0};
    typename A::template Atomic<Waiter*> slots_[std::size_t{1} << slot_bits] = {};
};

}  // namespace gossamer::omp
