// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The ready tasks of one OpenMP thread: its owner pushes and pops at the bottom, thieves take from the top, several at
// once. The owner's path has neither fence nor locked instruction.
//
// After the THE protocol of Cilk-5 (Frigo, Leiserson, Randall, PLDI 1998, fig. 5). Where we deviate:
//   - The fence between the owner's store to bottom and its look at what thieves claim is an asymmetric one: the thief
//     has every thread of the process pass a fence (os::heavy_fence), and the owner needs only a compiler's. Where the system
//     does not offer that, both sides fence.
//   - Thieves move two numbers: `claimed` first, as an announcement that they may take back, and `top` at the end, which
//     only grows. So an owner that finds its deque empty by `top` does not need the lock.
//   - A thief takes several items by one announcement, since the fence is what costs.
//   - Before the fence the thief asks: it claims everything, so that the owner's next pop meets the claim, sees the request,
//     and answers up to where the thief may take. Only if no answer comes soon does the thief fence.
//   - That claim of everything then stands, for an owner whose tasks take so long will be robbed again: it pops under the lock,
//     and thieves need neither fence nor answer, until the owner has popped often without a theft.
//   - The ring has a fixed size: the owner of a full deque executes its new task itself.
//   - Where the asymmetric fence serves, and few items lie in the deque, the owner uses quick operations, which leave out every
//     check that make_deque has settled. A quick pop that meets a claim puts the item back, as if it had been pushed again.
//
// Items lie at indices [top, bottom) of the ring.
//
//   owner (pop)                              thief, under the lock
//   bottom = b                               claimed = t + k
//   light fence                              heavy fence
//   claimed <= b: item b is the owner's      reads bottom: takes back what it claimed above that
//   else: takes the lock, looks again        reads the items; top = claimed; unlocks
//
// Either the owner's look sees the claim, or the thief's look at bottom comes after the owner's store: the heavy fence is a
// fence in the owner's own stream too, before its look or behind its store.
//
//   thief asks, under the lock               owner, whose pop finds a claim above b, or that pushes
//   claimed = everything                     request is asked: granted = t + k, at most b
//   request = asked, another one each time   request: asked to answered
//   waits a little for the answer
//   answered: takes [t, granted);            item b is the owner's if granted <= b
//     claimed, top, then request = none
//   else request: asked to none;
//     heavy fence; as above, but for claimed
//
// While the claim stands, the items [top, bottom) belong to the holder of the lock. The owner lowers bottom before it locks, so
// either the thief takes no more than what lies below, or the owner finds by top that the item is gone.
//
// An answer is a fence in the owner's stream: its store to bottom lies before, and behind it the owner sees the claim. An owner
// that still reads `answered` when the thief has moved on takes an item that was its own then: a thief that has claimed by
// itself since either has fenced behind the owner's store, or makes the owner see `none`.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>
#include <type_traits>

#include "base/base.hpp"

namespace gossamer::omp {

// A supplies Atomic; light() and heavy(), the fences; order(), light() where that is a compiler's fence; looks(), how often a
// thief looks for an answer (0: heavy() is cheap, so it does not ask), and pause() before each look; part: a thief takes one
// item of so many, and one more; pops_alone: after so many pops without a theft a claim that stands is withdrawn. Lock supplies
// try_lock(), lock(pause) and unlock(). T is a pointer.
template <class T, class A, class Lock>
class BasicTaskDeque {
    static_assert(std::is_pointer_v<T>);

public:
    using Slot = typename A::template Atomic<T>;

    // The ring's `capacity` slots, a power of two, are the caller's, and live as long as the deque. The quick operations serve
    // while at most `quick` items lie in it, fewer than `capacity`; -1: never.
    BasicTaskDeque(Slot* slots, std::int64_t capacity, std::int64_t quick)
        : quick_most_(quick), quick_(quick), slots_(slots), mask_(capacity - 1) {}
    BasicTaskDeque(const BasicTaskDeque&) = delete;
    BasicTaskDeque& operator=(const BasicTaskDeque&) = delete;

    // Owner. The index that the next push fills: later pushes lie at or above it.
    std::int64_t bottom() const { return bottom_.load(std::memory_order_relaxed); }

    // Owner. Whether there are more than `count` items.
    bool holds_more_than(std::int64_t count) {
        const std::int64_t bottom = bottom_.load(std::memory_order_relaxed);
        if (GOSSAMER_LIKELY(bottom - top_seen_ <= count)) return false;
        top_seen_ = top_.load(std::memory_order_acquire);  // as in push
        return bottom - top_seen_ > count;
    }

    // Owner. Whether the next push finds room.
    bool has_room() { return !holds_more_than(mask_); }

    // Owner. Adds the newest item. False: the deque is full and unchanged. An owner that then asks whether a thread waits for
    // work has to call A::light() in between.
    bool push(T item) {
        const std::int64_t bottom = bottom_.load(std::memory_order_relaxed);
        if (GOSSAMER_UNLIKELY(bottom - top_seen_ > mask_)) {
            top_seen_ = top_.load(std::memory_order_acquire);  // pairs with steal: the slots have been read
            if (bottom - top_seen_ > mask_) return false;
        }
        slots_[bottom & mask_].store(item, std::memory_order_relaxed);
        bottom_.store(bottom + 1, std::memory_order_release);  // pairs with steal: slot and item are visible to it
        return true;
    }

    // Owner. Whether quick operations may be used at all; up to how many items; whether push_quickly may follow.
    bool is_quick() const { return quick_most_ >= 0; }
    std::int64_t quick() const { return quick_.load(std::memory_order_relaxed); }
    bool pushes_quickly(std::int64_t bottom) const { return bottom - top_seen_ <= quick(); }

    // Any thread. From now on, or soon after, the quick operations serve up to `most`
    // items, or what the constructor said if fewer.
    void limit_quick(std::int64_t most) {
        const std::int64_t limit = most < quick_most_ ? most : quick_most_;
        if (quick() != limit) quick_.store(limit, std::memory_order_relaxed);
    }

    // Owner. Adds the newest item at `bottom`, which is bottom(), where pushes_quickly; A::order() serves in place of
    // A::light() behind it.
    void push_quickly(std::int64_t bottom, T item) {
        slots_[bottom & mask_].store(item, std::memory_order_relaxed);
        bottom_.store(bottom + 1, std::memory_order_release);  // as in push
    }

    // Owner of a quick deque. Takes the newest item and tells its index, if that is `floor` or more. False: none was taken, and
    // only pop can tell whether there is one.
    bool pop_quickly(std::int64_t floor, T& item, std::int64_t& index) {
        index = bottom_.load(std::memory_order_relaxed) - 1;
        if (GOSSAMER_UNLIKELY(index < floor)) return false;
        bottom_.store(index, std::memory_order_release);  // as in pop
        A::order();                                       // pairs with steal's heavy fence
        if (GOSSAMER_UNLIKELY(claimed_.load(std::memory_order_relaxed) > index) && !answer(index)) {
            bottom_.store(index + 1, std::memory_order_release);  // as in push, for the first look of steal
            return false;
        }
        item = slots_[index & mask_].load(std::memory_order_relaxed);
        return true;
    }

    // Owner. Takes the newest item, if its index is `floor` or more; null otherwise, or if thieves have taken all. Calls
    // pause() while it waits for a thief's lock.
    template <class Pause>
    T pop(std::int64_t floor, Pause&& pause) {
        const std::int64_t bottom = bottom_.load(std::memory_order_relaxed) - 1;
        if (bottom < floor || top_.load(std::memory_order_relaxed) > bottom) return nullptr;
        bottom_.store(bottom, std::memory_order_release);  // pairs with steal, which may read this value instead of push's
        A::light();                                        // pairs with steal's heavy fence
        if (GOSSAMER_UNLIKELY(claimed_.load(std::memory_order_relaxed) > bottom)) return settle(bottom, pause);
        return slots_[bottom & mask_].load(std::memory_order_relaxed);
    }

    // Owner, between a push or a pop and the next. Answers a thief that asks.
    void answer_thief() {
        if (GOSSAMER_UNLIKELY(is_asked())) answer(bottom());
    }

    // Owner. Whether a thief asks; or has been answered, and not seen it.
    bool is_asked() const { return request_.load(std::memory_order_relaxed) != nothing; }  // relaxed: answer looks again

    // Any thread but the owner. Takes the oldest items, one in A::part of those that are there, at least one and at most
    // `most`, but none at or behind the first for which accept(item) is false. Writes them to `out`, oldest first; returns how
    // many. 0: the deque is empty, another thief holds the lock, or the oldest was not accepted. accept is asked about the
    // oldest twice: first about an item that may be gone or stale, to spare the fence; then, as about the others, about the
    // item that only this thief can take. `own`: the deque that the caller owns, or null; its thieves are answered while the
    // caller waits.
    template <class Accept>
    std::uint32_t steal(T* out, std::uint32_t most, const Accept& accept, BasicTaskDeque* own) {
        if (size_hint() == 0 || !lock_.try_lock()) return 0;
        const std::int64_t top = top_.load(std::memory_order_relaxed);  // changes under the lock only
        std::int64_t bottom = bottom_.load(std::memory_order_acquire);  // pairs with push and pop
        std::uint32_t count = 0;
        if (bottom > top && accept(slots_[top & mask_].load(std::memory_order_relaxed))) {
            bool stands = claim_stands();
            const bool answered = !stands && ask(most, own);
            std::int64_t left = bottom - top;
            std::int64_t wanted = share(left, most);
            if (answered) {
                left = wanted = granted_.load(std::memory_order_relaxed) - top;  // published by the answer
            } else if (!stands) {
                stands = claim_stands();  // if it has asked
                if (!stands) claimed_.store(top + wanted, std::memory_order_relaxed);
                A::heavy();                                        // pairs with pop's light fence
                bottom = bottom_.load(std::memory_order_acquire);  // pairs with push and pop
                left = bottom > top ? bottom - top : 0;
            }
            pops_alone_ = 0;
            const std::int64_t announced = wanted;
            if (left < wanted) wanted = left;
            for (; count < wanted; ++count) {
                out[count] = slots_[(top + count) & mask_].load(std::memory_order_relaxed);
                if (!accept(out[count])) break;
            }
            // The lock publishes it.
            if (!stands && (answered || count < announced)) claimed_.store(top + count, std::memory_order_relaxed);
            top_.store(top + count, std::memory_order_release);  // pairs with push
            // relaxed: an owner that still reads the answer does no harm, see above; the lock orders it for the next thief
            if (answered) request_.store(nothing, std::memory_order_relaxed);
        }
        lock_.unlock();
        return count;
    }

    // Owner. Takes the oldest item; null: the deque is empty, or a thief holds the lock.
    T take_oldest() {
        if (size_hint() == 0 || !lock_.try_lock()) return nullptr;
        const std::int64_t top = top_.load(std::memory_order_relaxed);
        T item = nullptr;
        if (bottom_.load(std::memory_order_relaxed) > top) {
            item = slots_[top & mask_].load(std::memory_order_relaxed);
            // relaxed, both: the lock publishes them, and only the caller pushes into the slot again
            if (!claim_stands()) claimed_.store(top + 1, std::memory_order_relaxed);
            top_.store(top + 1, std::memory_order_relaxed);
        }
        lock_.unlock();
        return item;
    }

    // In the child of a fork, where thieves and, unless it is the caller, the owner are gone: what a thief had claimed and not
    // taken stays in the deque.
    void forget_thieves() {
        // relaxed, all: the caller is alone
        claimed_.store(top_.load(std::memory_order_relaxed), std::memory_order_relaxed);
        request_.store(nothing, std::memory_order_relaxed);
        pops_alone_ = 0;
        lock_.unlock();
    }

    // Any thread. The oldest item, or null. It may have left the deque already.
    T peek() const {
        const std::int64_t top = top_.load(std::memory_order_relaxed);
        // acquire pairs with push and pop: slot and item are visible
        if (bottom_.load(std::memory_order_acquire) <= top) return nullptr;
        return slots_[top & mask_].load(std::memory_order_relaxed);
    }

    // Any thread. How many items have left by the top, at some moment of the call.
    std::int64_t taken_hint() const { return top_.load(std::memory_order_relaxed); }

    // Any thread. How many items there were at some moment of the call. Behind A::heavy() it counts every item that was pushed
    // before its owner's A::light().
    std::size_t size_hint() const {
        const std::int64_t top = top_.load(std::memory_order_relaxed);
        const std::int64_t bottom = bottom_.load(std::memory_order_relaxed);
        return bottom > top ? static_cast<std::size_t>(bottom - top) : 0;
    }

private:
    // request_: nothing; or the number of a request, how many items it asks for, and whether it is answered.
    static constexpr std::int64_t nothing = 0;
    static constexpr std::int64_t answered_bit = 1;
    static constexpr std::int64_t next_request = 1 << 16;
    static constexpr std::int64_t everything = INT64_MAX;

    static std::int64_t share(std::int64_t items, std::int64_t most) {
        if (items <= 0) return 0;
        return 1 + items / A::part < most ? 1 + items / A::part : most;
    }

    // Under the lock, outside of ask.
    bool claim_stands() const { return claimed_.load(std::memory_order_relaxed) == everything; }

    // Thief, under the lock. True: the owner has answered. False: it has not, and
    // everything is claimed; or the thief did not ask.
    bool ask(std::uint32_t most, BasicTaskDeque* own) {
        const std::uint32_t most_looks = A::looks();
        if (most_looks == 0) return false;
        // An owner whose tasks take long seldom answers in time, so the next thief waits for a shorter time.
        const std::uint32_t looks = most_looks - looks_spared_;
        requests_ += next_request;
        const std::int64_t asked = requests_ + 2 * std::int64_t{most};
        claimed_.store(everything, std::memory_order_relaxed);
        request_.store(asked, std::memory_order_release);  // pairs with answer: claimed_ and top_ are visible
        for (std::uint32_t look = 0; look < looks; ++look) {
            if (own != nullptr) own->answer_thief();
            A::pause();
            // acquire pairs with answer
            if (request_.load(std::memory_order_acquire) == (asked | answered_bit)) {
                looks_spared_ = 0;
                return true;
            }
        }
        looks_spared_ += looks / 4;
        std::int64_t seen = asked;
        // acquire, when it fails, pairs with answer; relaxed, when it takes the request back: the fence that follows orders it
        return !request_.compare_exchange_strong(seen, nothing, std::memory_order_relaxed, std::memory_order_acquire);
    }

    // Owner, which leaves to thieves the items below `bottom`, the value of bottom_. Answers a thief that asks. True: an answer
    // says that the item at `bottom` is the owner's.
    GOSSAMER_NOINLINE bool answer(std::int64_t bottom) {
        std::int64_t request = request_.load(std::memory_order_acquire);  // pairs with ask
        if (request == nothing) return false;
        if ((request & answered_bit) == 0) {
            const std::int64_t top = top_.load(std::memory_order_relaxed);  // the thief's: see the acquire above
            granted_.store(top + share(bottom - top, request % next_request / 2), std::memory_order_relaxed);
            // release pairs with ask: bottom_, granted_ and the items are visible
            if (!request_.compare_exchange_strong(request, request | answered_bit, std::memory_order_release,
                                                  std::memory_order_relaxed)) {
                return false;
            }
        }
        return bottom >= granted_.load(std::memory_order_relaxed);
    }

    // Owner, whose pop has met a claim of item `bottom`, which the thief may still take
    // back: takes the item under the lock, or finds it gone.
    template <class Pause>
    GOSSAMER_NOINLINE T settle(std::int64_t bottom, Pause&& pause) {
        if (answer(bottom)) return slots_[bottom & mask_].load(std::memory_order_relaxed);
        lock_.lock(pause);
        const std::int64_t top = top_.load(std::memory_order_relaxed);
        if (claim_stands() && ++pops_alone_ > A::pops_alone) {
            claimed_.store(top, std::memory_order_relaxed);  // the lock publishes it
        }
        const bool mine = (claim_stands() ? top : claimed_.load(std::memory_order_relaxed)) <= bottom;
        T item = nullptr;
        if (mine) {
            item = slots_[bottom & mask_].load(std::memory_order_relaxed);
        } else {
            bottom_.store(bottom + 1, std::memory_order_relaxed);  // the next thief's lock follows this unlock
        }
        lock_.unlock();
        return item;
    }

    // Written by thieves.
    alignas(no_share) typename A::template Atomic<std::int64_t> claimed_{0};
    typename A::template Atomic<std::int64_t> top_{0};
    typename A::template Atomic<std::int64_t> request_{nothing};
    const std::int64_t quick_most_;
    // -1, or at most quick_most_. A hint, so not A::Atomic; it lies here because the owner reads this line at each pop.
    std::atomic<std::int64_t> quick_;
    std::int64_t requests_ = 0;       // this and the next two under the lock
    std::uint32_t looks_spared_ = 0;  // of A::looks()
    std::uint32_t pops_alone_ = 0;    // since the last theft, while a claim stands
    Lock lock_;
    // Written by the owner at every push and pop.
    alignas(no_share) typename A::template Atomic<std::int64_t> bottom_{0};
    typename A::template Atomic<std::int64_t> granted_{0};  // with an answer: the thief gets the items below
    std::int64_t top_seen_ = 0;                             // an earlier value of top_, which only grows
    Slot* const slots_;
    const std::int64_t mask_;
};

}  // namespace gossamer::omp
