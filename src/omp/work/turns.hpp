// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Turns that come in order, each awaited by one thread: the turn that has come, and slots for the threads whose turn has not.
//
//   waiter for turn t                                 passer, whose turn it is
//   fill_slot: itself into t's slot, if free          pass: turn = next
//   has_come_now(t): take_back, unless the            takes the waiter out of the slot of `next`,
//     passer has taken it; otherwise suspends           and resumes it
//
// Dekker's pattern, seq_cst throughout: whichever of "slot filled" and "turn passed"
// comes second in their one order, its side sees the other. The exchange on the slot
// decides which side has the waiter, so each suspend is followed by exactly one resume.
//
// Turns that are 2^slot_bits apart or less mostly have slots of their own. A waiter whose slot is taken waits by other means,
// and counts in `overflow_` meanwhile; then the passer notifies it as well. A waiter may be taken out of a slot at another's
// turn, and fills it again.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/base.hpp"

namespace gossamer::omp {

template <class Waiter, class A = StdAtomics, unsigned slot_bits = 4>
class BasicTurns {
    using Order = std::memory_order;

public:
    // The turn that has come. acquire pairs with pass: the caller sees what was written in earlier turns.
    std::uint64_t now() const { return turn_.load(Order::acquire); }
    bool has_come(std::uint64_t turn) const { return now() >= turn; }

    // False: another waiter has the slot.
    bool fill_slot(Waiter* me, std::uint64_t turn) {
        Waiter* nobody = nullptr;
        // seq_cst pairs with pass; release: the passer finds what the waiter wrote
        return slot_of(turn).compare_exchange_strong(nobody, me, Order::seq_cst, Order::relaxed);
    }
    // Behind fill_slot; pairs with pass.
    bool has_come_now(std::uint64_t turn) const { return turn_.load(Order::seq_cst) >= turn; }
    // False: a passer has taken `me` out, and resumes it.
    bool take_back(Waiter* me, std::uint64_t turn) {
        // relaxed: the slot holds the caller's own address; if a passer has taken that, its resume orders what follows
        return slot_of(turn).compare_exchange_strong(me, nullptr, Order::relaxed, Order::relaxed);
    }

    // fiber::wait_until has to follow: its fence pairs with any_overflow.
    void begin_overflow() { overflow_.fetch_add(1, Order::relaxed); }
    void end_overflow() { overflow_.fetch_sub(1, Order::relaxed); }  // a count that is too high for a while costs a look

    // By the thread whose turn it is. Returns the waiter that the caller has to resume, or null.
    Waiter* pass(std::uint64_t next) {
        turn_.store(next, Order::seq_cst);  // pairs with has_come_now
        auto& slot = slot_of(next);
        if (slot.load(Order::seq_cst) == nullptr) return nullptr;
        return slot.exchange(nullptr, Order::acquire);  // pairs with fill_slot
    }
    // Behind pass: whether some thread may wait by other means.
    bool any_overflow() const { return overflow_.load(Order::seq_cst) != 0; }

    // While no thread waits. relaxed: share_leave publishes it before another thread comes.
    void reset() { turn_.store(0, Order::relaxed); }
    // relaxed: the waiters are gone, and the caller is alone.
    void forget_waiters() {
        for (auto& slot : slots_) slot.store(nullptr, Order::relaxed);
        overflow_.store(0, Order::relaxed);
    }

private:
    // Neighbours, and turns at any regular distance, lie apart from each other (Knuth,
    // The Art of Computer Programming 3, §6.4).
    auto& slot_of(std::uint64_t turn) {
        if constexpr (slot_bits == 0) return slots_[0];
        return slots_[turn * 0x9e3779b97f4a7c15u >> (64 - slot_bits) % 64];
    }

    typename A::template Atomic<std::uint64_t> turn_{0};
    typename A::template Atomic<std::uint32_t> overflow_{0};
    typename A::template Atomic<Waiter*> slots_[std::size_t{1} << slot_bits] = {};
};

}  // namespace gossamer::omp
