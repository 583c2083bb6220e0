// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "omp/sync/barrier.hpp"

#include <bit>

#include "omp/task/idle.hpp"
#include "omp/task/wake.hpp"
#include "omp/team/team.hpp"

namespace gossamer::omp {

namespace {

// Wakes the threads that sleep in their slots. `all`: some of them may not be counted in Barrier::sleepers.
void wake_sleepers(Team& team, bool all) {
    Barrier& barrier = team.barrier;
    // seq_cst pairs with wait_slot's increment: the waiter sees the new generation, or this thread sees the waiter.
    const auto some = [&] { return all || barrier.sleepers.load(std::memory_order_seq_cst) != 0; };
    if (!some()) return;
    fiber::Resuming resuming;
    for (uint32_t num = 0; num < team.size && some(); ++num) {
        if (fiber::Fiber* const fiber = team.threads[num].slot.take(barrier.sleepers)) resuming.resume(fiber);
    }
}

// Wakes the other thread of a team of two if it sleeps. `asleep`: it had left itself in its slot before it arrived.
void wake_other(const Thread& thread, bool asleep) {
    Team& team = *thread.team;
    Barrier& barrier = team.barrier;
    if (!asleep && barrier.sleepers.load(std::memory_order_seq_cst) == 0) return;  // seq_cst: as above
    if (fiber::Fiber* const fiber = team.threads[1 - thread.num].slot.take(barrier.sleepers)) fiber::resume(fiber);
}

// Whether the shares of the team's homes wake by relay: each has threads besides the home's own, and lies mostly on that
// carrier.
bool relays(const Team& team) {
    return team.by_crew && team.dealt && team.homes > 1 && team.size / 2 >= team.homes && team.dealing.bind == Bind::no;
}

// The home that has started the thread, of a team that relays.
uint32_t home_of(const Thread& thread) { return thread.num % thread.team->homes; }

// Wakes the threads of the share of home `home`, and that home.
void wake_share(Team& team, uint32_t home) {
    fiber::Resuming resuming;
    for (uint32_t num = home; num < team.size; num += team.homes) {
        if (fiber::Fiber* const fiber = team.threads[num].slot.take(team.barrier.sleepers)) resuming.resume(fiber);
    }
}

// By the last thread to arrive, before the release.
void order_relays(const Thread& thread) {
    Team& team = *thread.team;
    const uint32_t own = home_of(thread);
    for (uint32_t home = 0; home < team.homes; ++home) {
        if (home != own) team.threads[home].relay.order();
    }
}

// Behind the release. A home that is not in its slot is awake, and relays as it leaves; so does any other thread of its share.
void wake_by_relay(const Thread& thread) {
    Team& team = *thread.team;
    const uint32_t own = home_of(thread);
    for (uint32_t home = 0; home < team.homes; ++home) {
        if (home != own) fiber::wake_slot(team.threads[home].slot, team.barrier.sleepers);
    }
    wake_share(team, own);
}

// By a thread that leaves a barrier which another one has released.
void relay(const Thread& thread) {
    Team& team = *thread.team;
    if (!relays(team)) return;
    const uint32_t home = home_of(thread);
    if (team.threads[home].relay.is_mine()) wake_share(team, home);
}

bool parallel_cancelled(const Team& team) { return (team.cancelled.load(std::memory_order_seq_cst) & cancel_parallel) != 0; }

// Whether the thread leaves the region because it is cancelled.
bool departs(Thread& thread) {
    if (GOSSAMER_LIKELY(!parallel_cancelled(*thread.team))) return false;
    share_depart(thread);
    return true;
}

// A construct that can be cancelled, a loop or sections, ends in a barrier, and its
// cancellation must not reach the next construct.
void forget_cancelled_loop(Team& team) {
    constexpr uint32_t kinds = cancel_loop | cancel_sections;
    // relaxed, both: every thread that set or read these bits has arrived
    if (GOSSAMER_UNLIKELY((team.cancelled.load(std::memory_order_relaxed) & kinds) != 0)) {
        team.cancelled.fetch_and(~kinds, std::memory_order_relaxed);
        team.work.touched.store(2, std::memory_order_relaxed);  // read when the next region starts
    }
}

// By the last thread, when all threads have arrived and none goes on before the release. Returns whether tasks were active.
bool end_generation(Team& team) {
    forget_cancelled_loop(team);
    const bool tasks = tasks_are_active(team);
    // All tasks are complete, and no thread defers one before the generation advances.
    if (GOSSAMER_UNLIKELY(tasks)) team.tasks.word.deactivate();
    return tasks;
}

void wake_all(Team& team, bool asleep, bool tasks) {
    wake_sleepers(team, asleep);
    if (GOSSAMER_UNLIKELY(tasks)) wake_all_task_sleepers(team);
}

// The threads that arrive together: by a counter of their own, whose last thread arrives for all of them.
struct Group {
    std::atomic<uint32_t>* arrived;  // null: each thread arrives by itself
    uint32_t size;
    uint32_t count;  // groups of the team, or threads if each arrives by itself
};

// Threads that lie on one carrier, where each carrier has several; neighbours, where each has a carrier.
GOSSAMER_NOINLINE Group group_of_many(const Thread& thread) {
    const Team& team = *thread.team;
    const uint32_t size = team.size;
    const uint32_t homes = team.homes;
    if (!team.by_crew) return {nullptr, 1, size};
    if (size <= homes) {
        const unsigned shift =
            static_cast<unsigned>(std::bit_width(size - 1) + 1) / 2;  // about as many groups as threads in each
        const uint32_t first = thread.num >> shift << shift;
        const uint32_t most = 1u << shift;
        return {&team.threads[first].arrived, size - first < most ? size - first : most, (size + most - 1) >> shift};
    }
    if (!relays(team)) return {nullptr, 1, size};
    const uint32_t home = home_of(thread);
    return {&team.threads[home].arrived, (size - 1 - home) / homes + 1, homes};
}

GOSSAMER_INLINE Group group_of(const Thread& thread) {
    if (GOSSAMER_LIKELY(thread.team->homes < fewest_in_groups)) return {nullptr, 1, thread.team->size};
    return group_of_many(thread);
}

bool have_all_others_arrived(const Barrier& barrier, const Group& group) {
    // relaxed, both: a hint
    if (Barrier::count(barrier.arrived.load(std::memory_order_relaxed)) + 1 != group.count) return false;
    return group.arrived == nullptr || group.arrived->load(std::memory_order_relaxed) + 1 == group.size;
}

// The thread arrives; `asleep`: it has left itself in its slot. Whether it is the last: then it has acquired what all others
// did before, and passes it on by the generation, and `before` says whether any of them is asleep. seq_cst: see `sleep`.
// acq_rel: the last of a group acquires what the others of it did before, and passes that on by its step for all of them.
bool arrive(Barrier& barrier, const Group& group, bool asleep, uint64_t& before) {
    uint64_t step = asleep ? 1 + Barrier::one_asleep : 1;
    if (group.arrived != nullptr) {
        if (asleep) barrier.arrived.fetch_add(Barrier::one_asleep, std::memory_order_seq_cst);
        if (group.arrived->fetch_add(1, std::memory_order_acq_rel) + 1 != group.size) return false;
        group.arrived->store(0, std::memory_order_relaxed);  // published by the generation
        step = 1;
    }
    before = barrier.arrived.fetch_add(step, std::memory_order_seq_cst);
    return Barrier::count(before) + 1 == group.count;
}

// Sleeps, for a thread that gives way to others: it has left itself in its slot and then arrived, by a seq_cst step. A thread
// that changes what is looked at here, and then looks for sleepers, sees that step; or the look here sees the change. If a
// waker has taken the thread out of its slot, that waker resumes it. Tasks are left to the threads behind it.
GOSSAMER_INLINE void sleep(Thread& thread, bool cancellable) {
    Team& team = *thread.team;
    const bool stays = (tasks_are_active(team) && !leave_tasks(thread)) || (cancellable && parallel_cancelled(team));
    if (!stays || !thread.slot.take_back(team.barrier.sleepers)) fiber::suspend();
}

// Takes back from its slot a thread that turns out to be the last to arrive. A
// waker that has taken it out may have wanted it for a task.
void come_back(Thread& thread) {
    if (thread.slot.take_back(thread.team->barrier.sleepers)) return;
    fiber::suspend();
    if (thread.counted) stop_search(thread);
}

// Waits until released() is true, or the region is cancelled. `slept`: the thread
// has slept already, and mostly was woken by the release.
template <class Released>
GOSSAMER_NOINLINE void await_release(Thread& thread, bool cancellable, bool slept, const Released& released) {
    Team& team = *thread.team;
    const auto over = [&] { return released() || (cancellable && parallel_cancelled(team)); };
    const auto goes_on = [&] { return over() || tasks_are_active(team); };
    if (!slept || !goes_on()) fiber::wait_slot(thread.slot, team.barrier.sleepers, goes_on);
    if (GOSSAMER_UNLIKELY(thread.counted || !over())) work_until(thread, nullptr, nullptr, over);
}

// Two threads: pair_word.hpp.
void barrier_of_two(Thread& thread, bool cancellable) {
    Team& team = *thread.team;
    std::atomic<uint64_t>& word = team.barrier.arrived;
    const bool asleep = fiber::must_give_way() && !PairWord::seems_met(word);
    if (asleep) thread.slot.fill(fiber::self());
    const PairWord::Arrival arrival = PairWord::arrive(word, thread.met_as, asleep);
    if (arrival.first) {
        if (asleep) sleep(thread, cancellable);
        await_release(thread, cancellable, asleep, [&] { return PairWord::is_released(word, arrival.odd); });
        return;
    }
    if (GOSSAMER_UNLIKELY(asleep)) come_back(thread);
    const bool tasks = end_generation(team);
    PairWord::release(word, thread.met_as);
    wake_other(thread, Barrier::some_asleep(arrival.odd));
    if (GOSSAMER_UNLIKELY(tasks)) wake_all_task_sleepers(team);
}

}  // namespace

bool others_have_arrived(const Thread& thread) { return have_all_others_arrived(thread.team->barrier, group_of(thread)); }

bool barrier(Thread& thread, bool cancellable) {
    Team& team = *thread.team;
    fiber::scheduling_point();
    finish_tasks(thread);
    if (cancellable && departs(thread)) return true;
    const uint32_t size = team.size;
    if (size == 1) {
        forget_cancelled_loop(team);
        return false;
    }
    if (size == 2) {
        barrier_of_two(thread, cancellable);
        return cancellable && departs(thread);
    }
    Barrier& barrier = team.barrier;
    // relaxed: the generation cannot advance before this thread arrives, and this thread has seen the last advance.
    const uint32_t generation = barrier.generation.load(std::memory_order_relaxed);
    const Group group = group_of(thread);
    // A thread that wrongly takes itself for the last waits as others do. Only a thread that gives way looks, as in
    // PairWord::seems_met.
    const bool asleep = fiber::must_give_way() && !have_all_others_arrived(barrier, group);
    if (asleep) thread.slot.fill(fiber::self());
    uint64_t before;
    if (arrive(barrier, group, asleep, before)) {
        if (GOSSAMER_UNLIKELY(asleep)) come_back(thread);
        barrier.arrived.store(0, std::memory_order_relaxed);  // published by the generation
        const bool tasks = end_generation(team);
        const bool relayed = Barrier::some_asleep(before) && !tasks && relays(team);
        if (relayed) order_relays(thread);
        barrier.generation.store(generation + 1, std::memory_order_seq_cst);  // pairs with the look in wait_slot
        relayed ? wake_by_relay(thread) : wake_all(team, Barrier::some_asleep(before), tasks);
        return false;
    }
    if (asleep) sleep(thread, cancellable);
    const auto released = [&barrier, generation] { return barrier.generation.load(std::memory_order_seq_cst) != generation; };
    if (GOSSAMER_UNLIKELY(!asleep || thread.counted || !released())) await_release(thread, cancellable, asleep, released);
    relay(thread);
    return cancellable && departs(thread);
}

void broadcast(Team& team, uint64_t number, void* data) {
    team.barrier.broadcast = data;
    // Publishes the data, and pairs with the look in wait_slot.
    team.barrier.broadcasts.store(number, std::memory_order_seq_cst);
    wake_all(team, false, tasks_are_active(team));
}

void* await_broadcast(Thread& thread, uint64_t number) {
    const Barrier& barrier = thread.team->barrier;
    const auto given = [&] { return barrier.broadcasts.load(std::memory_order_seq_cst) == number; };
    if (!given()) await_release(thread, false, false, given);
    return barrier.broadcast;
}

void wake_cancelled(Team& team) {
    wake_sleepers(team, team.barrier.anyone_sleeps());
    wake_all_task_sleepers(team);
}

}  // namespace gossamer::omp
