// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which threads can execute a team's tasks: one word for the team, and a slot for each thread that sleeps.
//
//   bit 0       active: a task was deferred in this region since the last barrier; threads that wait look for tasks
//   bit 1       maybe: there may be bystanders: threads that wait at the barrier or the join without looking for tasks, or have
//               left the region
//   bits 8-31   sleepers: threads in ThreadTasks::slot
//   bits 32-47  searching: threads that may execute any task and look for one, or have been woken to do so
//   bits 48-    lingering: members at the end of the region that look for tasks as long as other members do not
//
// A thread that defers a task, and finds nothing in the word but `active`, has nothing more to do. Otherwise it wakes one
// thread, unless one is searching; and the last searcher to find a task wakes another thread if there are more tasks.
//
// A thread is counted among the sleepers from fall_asleep until it turns back, or another
// thread takes it out of its slot; exactly one of the two happens. A thread that turns
// back searches on if it did before, and is counted at every moment while it looks.
//
// Changes of the word are relaxed where nothing else is said: they are steps on one
// word and so have one order, and what a count promises is ordered by the slot, by the
// fences around a push and a last look, or by the resume of the thread that is woken.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/base.hpp"

namespace gossamer::omp {

class TaskCounts {
public:
    constexpr explicit TaskCounts(std::uint64_t word) : word_(word) {}

    constexpr bool active() const { return (word_ & is_active) != 0; }
    constexpr bool maybe() const { return (word_ & is_maybe) != 0; }
    constexpr bool only_active() const { return word_ == is_active; }
    constexpr bool all_awake() const { return (word_ % one_searcher) == is_active; }  // no sleeper, no bystander
    constexpr bool none() const { return word_ == 0; }
    constexpr std::uint64_t sleepers() const { return word_ % one_searcher / one_sleeper; }
    constexpr std::uint64_t searching() const { return word_ % one_lingerer / one_searcher; }
    constexpr std::uint64_t lingering() const { return word_ / one_lingerer; }

    static constexpr std::uint64_t is_active = 1;
    static constexpr std::uint64_t is_maybe = 2;
    static constexpr std::uint64_t one_sleeper = 1 << 8;
    static constexpr std::uint64_t one_searcher = std::uint64_t{1} << 32;
    static constexpr std::uint64_t one_lingerer = std::uint64_t{1} << 48;

private:
    std::uint64_t word_;
};

// `Sleeper`: what a slot points to.
template <class Sleeper, class A = StdAtomics>
class BasicTaskWord {
    using Order = std::memory_order;
    using Counts = TaskCounts;

public:
    using Slot = typename A::template Atomic<Sleeper*>;

    Counts counts(Order order) const { return Counts(word_.load(order)); }
    // counts() for a thread that has just pushed a task and passed TaskFences::light(), which orders the look behind the push.
    Counts after_push() const { return counts(Order::relaxed); }

    // At the first task since the last barrier. Until proved otherwise there are bystanders.
    Counts activate() {
        constexpr std::uint64_t bits = Counts::is_active | Counts::is_maybe;
        // seq_cst pairs with tasks_are_active (team.hpp), before a thread sleeps at the barrier or the join
        return Counts(word_.fetch_or(bits, Order::seq_cst) | bits);
    }
    void deactivate() { word_.fetch_and(~(Counts::is_active | Counts::is_maybe), Order::relaxed); }

    // True: it was not known before.
    bool somebody_may(Order order) { return !Counts(word_.fetch_or(Counts::is_maybe, order)).maybe(); }
    void nobody_may() { word_.fetch_and(~Counts::is_maybe, Order::seq_cst); }

    // Between regions.
    void forget() { word_.store(0, Order::relaxed); }

    void begin_search() { word_.fetch_add(Counts::one_searcher, Order::relaxed); }

    // True: no other thread searches, and there may be a thread to be woken for the tasks that are left.
    bool end_search() { return ends_search(Counts::one_searcher); }

    // Takes begin_search back for a thread that could not be called back.
    void cancel_search() { word_.fetch_sub(Counts::one_searcher, Order::relaxed); }

    // Leaves `me` in its slot. The caller has to pass a fence and look for tasks once more. True: no thread searches any more.
    bool fall_asleep(Slot& slot, Sleeper* me, bool searches) {
        // In one step, so that a thread that searches on finds a sleeper when it stops.
        word_.fetch_add(Counts::one_sleeper - searcher(searches), Order::relaxed);  // the store below comes behind it
        slot.store(me, Order::seq_cst);  // pairs with take_sleeper, before the last look
        // Behind the store: a thread that still searches will stop, and request a second look, after the slot was filled.
        return counts(Order::seq_cst).searching() == 0;
    }

    // False: another thread has taken the caller out of its slot and resumes it.
    bool turn_back(Slot& slot, bool searches) {
        // relaxed: the slot holds the caller's own address; if a waker has taken that, its resume orders what follows
        if (slot.exchange(nullptr, Order::relaxed) == nullptr) return false;
        word_.fetch_add(searcher(searches) - Counts::one_sleeper, Order::relaxed);
        return true;
    }

    // Takes the sleeper out of the slot; the caller resumes it. `as_searcher`: it may
    // execute any task. Null: the slot is empty.
    Sleeper* take_sleeper(Slot& slot, bool as_searcher) {
        if (slot.load(Order::seq_cst) == nullptr) return nullptr;  // pairs with the store in fall_asleep
        // acquire pairs with fall_asleep: what the sleeper wrote before
        Sleeper* const sleeper = slot.exchange(nullptr, Order::acquire);
        if (sleeper != nullptr) word_.fetch_add(searcher(as_searcher) - Counts::one_sleeper, Order::relaxed);
        return sleeper;
    }

    // `counted`: the caller is counted as a searcher already.
    void begin_lingering(bool counted) { word_.fetch_add(Counts::one_lingerer + searcher(!counted), Order::relaxed); }
    // For a thread that has found a task. As end_search.
    bool stop_lingering() { return ends_search(Counts::one_lingerer + Counts::one_searcher); }
    void end_lingering() {
        // seq_cst pairs with share_task's fence; retire looks for tasks behind it
        word_.fetch_sub(Counts::one_lingerer + Counts::one_searcher, Order::seq_cst);
    }

private:
    bool ends_search(std::uint64_t counted) {
        const Counts before(word_.fetch_sub(counted, Order::seq_cst));
        return before.searching() == 1 && (before.sleepers() != 0 || before.maybe());
    }

    static constexpr std::uint64_t searcher(bool is_one) { return is_one ? Counts::one_searcher : 0; }

    typename A::template Atomic<std::uint64_t> word_{0};
};

}  // namespace gossamer::omp
