// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which carriers may park, which must search, and which one a producer wakes. docs/protocols/idle.md shows why no wake is
// lost; in short:
//
//   carrier   running -> begin_search -> searching -> announce -> asleep -> (is claimed) -> searching
//             searching, found work -> end_search -> running, and wakes the carrier that end_search returns
//             asleep, found work in the second look -> cancel -> searching
//   producer  makes work visible -> publish -> wakes the carrier that publish returns
//
// A carrier is "asleep" from announce on: it then looks at every queue once more, and only then parks on its own word.
// Waking a carrier takes two steps: the waker claims it here (exactly one claimant wins), then unparks it. So exactly one
// successful cancel or one unpark answers each announce.
//
// The seq_cst fences make all of the ordering between queues and this object. The counts need no order of their own: only
// their values matter, and these are exact because each change is one atomic step.
//
// Invariant: while no carrier is searching, every published piece of work that has not been taken has a carrier on its way
// to it: one that was claimed, or one whose second look is still to come.
#pragma once

#include <bit>
#include <cstdint>

#include "base/base.hpp"

namespace gossamer::fiber {

/// How many carriers search and how many are asleep: a snapshot, and the steps between snapshots.
class IdleCounts {
public:
    constexpr explicit IdleCounts(std::uint32_t word) : word_(word) {}

    constexpr std::uint32_t sleeping() const { return word_ & 0xffff; }
    constexpr std::uint32_t searching() const { return word_ >> 16; }

    /// Whether a producer has to wake a carrier: a searching carrier would find the work, or look again after its announce.
    constexpr bool wants_wake() const { return searching() == 0 && sleeping() != 0; }

    // Addends of the steps. No field ever goes below zero, so none borrows from the other.
    static constexpr std::uint32_t one_sleeping = 1;
    static constexpr std::uint32_t one_searching = 1U << 16;
    static constexpr std::uint32_t start_search = one_searching;
    static constexpr std::uint32_t stop_search = 0U - one_searching;
    static constexpr std::uint32_t fall_asleep = one_sleeping - one_searching;
    static constexpr std::uint32_t wake_up = one_searching - one_sleeping;

private:
    std::uint32_t word_;
};

/// For carriers numbered [0, capacity).
template <unsigned capacity, class A = StdAtomics>
class BasicEventCount {
    static_assert(capacity > 0 && capacity < 0x10000);

public:
    static constexpr unsigned most = capacity;
    static constexpr int nobody = -1;

    constexpr BasicEventCount() = default;
    BasicEventCount(const BasicEventCount&) = delete;
    BasicEventCount& operator=(const BasicEventCount&) = delete;

    /// Carrier: running -> searching.
    void begin_search() { counts_.fetch_add(IdleCounts::start_search, std::memory_order_relaxed); }

    /// Carrier: searching -> running, with work in hand. The last searcher passes the duty on, because producers that saw it
    /// searching woke no carrier. Returns a carrier that the caller must unpark, near `me` if possible, or nobody.
    [[nodiscard]] int end_search(unsigned me) {
        const IdleCounts before(counts_.fetch_add(IdleCounts::stop_search, std::memory_order_relaxed));
        if (before.searching() != 1 || before.sleeping() == 0) return nobody;
        // Pairs with announce: a carrier that has counted itself, but whose bit we do not see yet, sees in its second look
        // everything that was published to us.
        A::fence(std::memory_order_seq_cst);
        return pick_one(me);
    }

    /// Carrier: searching -> running, where the monitor takes over the duty to look for work that was left.
    void drop_search() { counts_.fetch_add(IdleCounts::stop_search, std::memory_order_relaxed); }

    /// Carrier: searching -> asleep. The carrier must then look at every queue it serves once more, and cancel or park.
    void announce(unsigned me) {
        // release pairs with take: the count rises before the bit is set and falls after the bit is cleared, so it never
        // drops below zero.
        counts_.fetch_add(IdleCounts::fall_asleep, std::memory_order_relaxed);
        word_of(me).fetch_or(bit_of(me), std::memory_order_release);
        A::fence(std::memory_order_seq_cst);  // pairs with publish, claim and end_search
    }

    /// Any thread. False as soon as the carrier has been claimed, so that an unpark is on its way to it.
    bool still_asleep(unsigned me) const { return (word_of(me).load(std::memory_order_relaxed) & bit_of(me)) != 0; }

    /// Carrier: asleep -> searching, by its own choice. False: a waker has claimed it, so it must park and take the unpark
    /// that is on its way; it is searching after that, just the same.
    [[nodiscard]] bool cancel(unsigned me) { return take(me); }

    /// Producer, after it made work visible that any carrier can take. Returns a carrier that the caller must unpark, or
    /// nobody. One fence and one load while no carrier is asleep.
    [[nodiscard]] int publish(unsigned near = 0) {
        A::fence(std::memory_order_seq_cst);  // pairs with announce and end_search
        const IdleCounts counts(counts_.load(std::memory_order_relaxed));
        return counts.wants_wake() ? pick_one(near) : nobody;
    }

    /// Producer, after it made work visible that only `carrier` can take. True: the carrier was asleep and the caller must
    /// unpark it.
    [[nodiscard]] bool claim(unsigned carrier) {
        A::fence(std::memory_order_seq_cst);  // pairs with announce
        return still_asleep(carrier) && take(carrier);
    }

    /// Claims one sleeping carrier, in the group of 64 around `near` if possible. Returns its number (the caller must unpark
    /// it) or nobody. The carrier counts as searching from this moment on. Does not order earlier stores: a producer calls
    /// publish.
    [[nodiscard]] int pick_one(unsigned near = 0) {
        const unsigned first = near % capacity / bits_a_word;
        unsigned turn = near % capacity % bits_a_word;
        for (unsigned step = 0; step < words; ++step, turn = 0) {
            const unsigned index = (first + step) % words;
            std::uint64_t seen = std::rotr(sleepers_[index].load(std::memory_order_relaxed), static_cast<int>(turn));
            for (; seen != 0; seen &= seen - 1) {
                const unsigned bit = (static_cast<unsigned>(std::countr_zero(seen)) + turn) % bits_a_word;
                const unsigned carrier = index * bits_a_word + bit;
                if (take(carrier)) return static_cast<int>(carrier);
            }
        }
        return nobody;
    }

    /// Any thread; a snapshot.
    IdleCounts counts() const { return IdleCounts(counts_.load(std::memory_order_relaxed)); }

private:
    static constexpr unsigned bits_a_word = 64;
    static constexpr unsigned words = (capacity + bits_a_word - 1) / bits_a_word;

    using Word = typename A::template Atomic<std::uint64_t>;

    Word& word_of(unsigned carrier) { return sleepers_[carrier / bits_a_word]; }
    const Word& word_of(unsigned carrier) const { return sleepers_[carrier / bits_a_word]; }
    static constexpr std::uint64_t bit_of(unsigned carrier) { return std::uint64_t{1} << carrier % bits_a_word; }

    /// asleep -> searching. Claimants compete for the bit; the winner moves the count.
    bool take(unsigned carrier) {
        // acquire pairs with announce: the count that we lower has been raised.
        const std::uint64_t bit = bit_of(carrier);
        if ((word_of(carrier).fetch_and(~bit, std::memory_order_acquire) & bit) == 0) return false;
        counts_.fetch_add(IdleCounts::wake_up, std::memory_order_relaxed);
        return true;
    }

    // Producers read counts_ after every push; it changes only when a carrier goes idle or wakes.
    alignas(no_share) typename A::template Atomic<std::uint32_t> counts_{0};
    alignas(no_share) Word sleepers_[words] = {};
};

using EventCount = BasicEventCount<8192>;

}  // namespace gossamer::fiber
