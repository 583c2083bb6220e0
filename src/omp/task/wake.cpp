// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "omp/task/wake.hpp"

#include "omp/task/idle.hpp"
#include "omp/task/lock_pause.hpp"
#include "omp/task/search.hpp"
#include "omp/task/second_look.hpp"
#include "omp/team/member.hpp"
#include "omp/thread/root.hpp"

namespace gossamer::omp {

namespace {

// Resumes the thread that sleeps in the slot of number `num`. `as_searcher`: it may execute any task, and is counted as a
// searcher. False: the slot was empty.
bool resume_sleeper(Team& team, std::uint32_t num, bool as_searcher) {
    Thread& thread = team.threads[num];
    fiber::Fiber* const fiber = team.tasks.word.take_sleeper(thread.tasks.slot, as_searcher);
    if (fiber == nullptr) return false;
    thread.counted = as_searcher;
    fiber::resume(fiber);
    return true;
}

// Wakes a sleeping thread that may execute a child of `parent`; `parent` null: one that may execute any task.
bool wake_sleeper(Team& team, const Task* parent) {
    for (std::uint32_t num = 0; num < team.size; ++num) {
        ThreadTasks& tasks = team.threads[num].tasks;
        if (tasks.slot.load(std::memory_order_seq_cst) == nullptr) continue;
        const auto fits = [&] {
            const Task* const in = tasks.waits_in.load(std::memory_order_relaxed);
            return in == nullptr || (parent != nullptr && descends_from(parent, in));
        };
        const bool unconstrained = tasks.waits_in.load(std::memory_order_relaxed) == nullptr;
        // Asked again behind the wake: meanwhile the thread may have been woken and gone to sleep in another task.
        if (fits() && resume_sleeper(team, num, unconstrained) && fits()) return true;
    }
    return false;
}

// Resumes, as a searcher, the waiter that has left itself in `slot`, the barrier's or the join's.
bool wake_as_searcher(Team& team, std::uint32_t num, fiber::WaitSlot& slot, fiber::WaitSlot::Sleepers& count) {
    fiber::Fiber* const fiber = slot.take(count);
    if (fiber == nullptr) return false;
    team.threads[num].counted = true;
    team.tasks.word.begin_search();
    fiber::resume(fiber);
    return true;
}

// Runs a member that was called back, on whichever fiber it was started on.
void help_again(Thread& thread) {
    fiber::Fiber& fiber = *fiber::self();
    thread.fiber = &fiber;
    fiber.local = &thread;
    const bool bound = thread.team->dealing.bind != Bind::no;
    if (GOSSAMER_UNLIKELY(bound)) enter_seat(thread);
    retire(thread);
    if (GOSSAMER_UNLIKELY(bound)) fiber::leave_zone();
    fiber.local = nullptr;
}

void start_helper(void* argument) {
    Thread& thread = *static_cast<Thread*>(argument);
    Team& team = *thread.team;
    help_again(thread);
    thread.tasks.called_back.store(false, std::memory_order_relaxed);
    fiber::report_served();  // before finish_members: Join (team.cpp) relies on this order
    finish_members(team, 1);
}

// Has a member that has left the region come back to help. The caller is one of the team's threads, or holds the shared queue's
// lock with a task in the queue; so the region lasts meanwhile.
bool call_back(Team& team) {
    const bool bound = team.dealing.bind != Bind::no;
    for (std::uint32_t num = 1; num < team.size; ++num) {
        Thread& thread = team.threads[num];
        std::uint32_t mark = team.epoch;
        if (thread.retired.load(std::memory_order_relaxed) != mark) continue;
        // acquire pairs with retire
        if (!thread.retired.compare_exchange_strong(mark, 0, std::memory_order_acquire, std::memory_order_relaxed)) continue;
        team.unfinished.fetch_add(1, std::memory_order_relaxed);
        team.tasks.word.begin_search();
        thread.counted = true;
        if (team.by_crew) thread.tasks.called_back.store(true, std::memory_order_relaxed);  // a hint
        const bool apart = fiber::is_one_to_one();
        const fiber::Start start{start_helper, &thread, &team.relief, apart};
        if (team.by_crew && GOSSAMER_UNLIKELY(bound)) {
            start_bound_again(team, num, start);
        } else if (team.by_crew) {
            fiber::start_now(team.root->crew[num], start, num % fiber::carrier_count());
        } else {
            TeamRange& range = thread.helper;
            range.span.arm(num, num + 1);
            if (GOSSAMER_UNLIKELY(bound)) {
                offer_bound_again(team, num, range);
            } else if (GOSSAMER_LIKELY(fiber::is_carried())) {
                apart ? fiber::offer_apart(range) : fiber::offer(range);
            } else if (!fiber::offer_outside(range)) {
                thread.counted = false;
                team.tasks.word.cancel_search();
                thread.retired.store(mark, std::memory_order_release);  // pairs with the compare-and-swap of the next call_back
                finish_members(team, 1);
                // A pusher may have seen the searcher that did not come, and woken nobody.
                request_second_look(team, SecondLook::soon);
                return false;
            }
        }
        return true;
    }
    return false;
}

// Has a home that waits for the threads that it has started look for tasks (await_share in team/member.cpp). It may be on its
// way out of that wait; then it looks for tasks behind it.
bool disturb_starter(const Team& team) {
    if (!team.by_crew || !team.dealt) return false;
    const bool bound = team.dealing.bind != Bind::no;
    for (std::uint32_t at = 1; at < team.homes; ++at) {
        const std::uint32_t num = bound ? team.root->bound.numbers[at] : at;
        if (fiber::disturb(*(bound ? team.root->bound.at_home : team.root->crew)[at], team.threads[num].share)) return true;
    }
    return false;
}

// Wakes a bystander, which may execute any task.
bool wake_bystander(Team& team) {
    if (team.barrier.anyone_sleeps()) {
        for (std::uint32_t num = 0; num < team.size; ++num) {
            if (wake_as_searcher(team, num, team.threads[num].slot, team.barrier.sleepers)) return true;
        }
    }
    if (wake_as_searcher(team, 0, team.joiner, team.join_sleepers)) return true;
    return call_back(team) || disturb_starter(team);
}

TaskCounts activate(Team& team) {
    const TaskCounts counts = team.tasks.word.activate();
    request_second_look(team, SecondLook::later);  // a member that leaves at this moment looks at the word without a fence
    return counts;
}

}  // namespace

bool wake_for_task(Team& team, Task* parent) {
    TaskCounts counts = team.tasks.word.after_push();
    if (!counts.active()) counts = activate(team);
    if (counts.searching() != 0) return true;
    if (counts.sleepers() != 0 && wake_sleeper(team, parent)) return true;
    if (!counts.maybe()) return false;
    if (wake_bystander(team)) return true;
    // A bystander that sets the bit again from now on, after its own mark, is found by
    // the next pusher; one that set it before is found now.
    team.tasks.word.nobody_may();
    if (!wake_bystander(team)) return false;
    team.tasks.word.somebody_may(std::memory_order_relaxed);
    return true;
}

void share_task(Team& team, Task& task) {
    task.last_thread = nullptr;  // as in steal_from
    SharedQueue& queue = team.tasks.shared_queue();
    SpinGuard guard(queue.lock, LockPause());
    queue.push(task);
    // While the lock is held the task stays in the queue, so its ancestors and the region last.
    std::atomic_thread_fence(std::memory_order_seq_cst);  // pairs with those of retire and sleep
    TaskCounts counts = team.tasks.word.counts(std::memory_order_seq_cst);
    if (!counts.active()) counts = activate(team);
    if (counts.sleepers() != 0 && wake_sleeper(team, task.parent.load(std::memory_order_relaxed))) return;
    if (counts.searching() == 0) wake_bystander(team);
}

bool anyone_waits_in_a_task(const Team& team) {
    for (std::uint32_t num = 0; num < team.capacity; ++num) {
        const ThreadTasks& tasks = team.threads[num].tasks;
        // relaxed, both: a thread that falls asleep later leaves the team to the monitor itself
        if (tasks.slot.load(std::memory_order_relaxed) == nullptr) continue;
        if (tasks.waits_in.load(std::memory_order_relaxed) != nullptr) return true;
    }
    return false;
}

void wake_for_shared(Team& team) {
    const SharedQueue* const queue = team.tasks.known_queue();
    if (queue == nullptr || queue->count() == 0) return;
    for (std::uint32_t num = 0; num < team.capacity; ++num) {
        const ThreadTasks& tasks = team.threads[num].tasks;
        // relaxed, both: a thread that is woken on an old value looks once more and sleeps again
        if (tasks.waits_in.load(std::memory_order_relaxed) == nullptr) continue;
        if (tasks.shared_seen.load(std::memory_order_relaxed) != queue->pushes()) resume_sleeper(team, num, false);
    }
}

void wake_task_sleeper(Team& team, std::uint32_t num) { resume_sleeper(team, num, false); }

void wake_all_task_sleepers(Team& team) {
    for (std::uint32_t num = 0; num < team.size && team.tasks.word.counts(std::memory_order_seq_cst).sleepers() != 0; ++num) {
        resume_sleeper(team, num, false);
    }
}

void call_helper(fiber::Range& range, std::uint32_t number, fiber::Fiber&) {
    help_again(static_cast<TeamRange&>(range).team->threads[number]);
}

}  // namespace gossamer::omp
