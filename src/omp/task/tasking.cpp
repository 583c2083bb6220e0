// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "omp/task/tasking.hpp"

#include <algorithm>

#include "omp/task/cancel.hpp"
#include "omp/task/complete.hpp"
#include "omp/task/idle.hpp"
#include "omp/task/lock_pause.hpp"
#include "omp/task/search.hpp"
#include "omp/task/wake.hpp"
#include "omp/team/team.hpp"

namespace gossamer::omp {

namespace {

DependTable& depend_table(Task& parent) {
    if (GOSSAMER_UNLIKELY(parent.depends == nullptr)) {
        parent.depends = &DependTable::take();
        parent.plain = false;
    }
    return *parent.depends;
}

// Enters the task's dependences in its parent's table. True: the task may run.
bool enter_dependences(Thread& thread, Task& task, Dependences dependences) {
    const std::size_t count = DependTable::entries_for(dependences.size());
    auto* const entries = static_cast<DependEntry*>(thread.tasks.blocks.take(entries_class(count)));
    DependTable& table = depend_table(*thread.task);
    task.plain = false;
    SpinGuard guard(table.lock, LockPause());
    return table.add(task, dependences, entries);
}

// Waits until `task`, whose dependences have been entered, has no predecessors, and the claims that it needs may be free.
void wait_for_predecessors(Thread& thread, Task& task) {
    // seq_cst pairs with the store in release_successors, by the thread that completes the last predecessor
    work_until(thread, constraint_of(thread), nullptr, [&task] { return task.ready.load(std::memory_order_seq_cst); });
}

// For an awaited task that is in no list of the table. True: it has its claims. False: it waits for one, and `ready` will tell
// when to try again.
bool claim_awaited(Thread& thread, Task& task) {
    DependTable& table = *thread.task->depends;
    SpinGuard guard(table.lock, LockPause());
    if (table.claim(task)) return true;
    // relaxed: the thread that takes the task out of the ring does so under the lock, and then makes it true
    task.ready.store(false, std::memory_order_relaxed);
    return false;
}

// Returns when the task may run. True: it did not have to wait.
bool enter_and_wait(Thread& thread, Task& task, Dependences dependences) {
    task.awaited = true;
    task.last_thread = &thread;
    const bool ready = enter_dependences(thread, task, dependences);
    if (!ready) {
        const bool in_sets =
            std::ranges::any_of(dependences, [](const Dependence& each) { return each.kind == DependKind::mutexinoutset; });
        do wait_for_predecessors(thread, task);
        while (GOSSAMER_UNLIKELY(in_sets) && !claim_awaited(thread, task));
    }
    task.awaited = false;
    task.last_thread = nullptr;
    return ready;
}

// Has the generating thread execute some tasks if too many of its current task's children are in the table. Where no thread
// lacks work a few are too many: a longer chain of tasks is out of the cache when its turn comes.
void throttle(Thread& thread) {
    const DependTable& table = *thread.task->depends;
    std::int64_t limit = globals().task_limit;
    if (GOSSAMER_LIKELY(table.live() <= std::min(limit, enough_tasks)) || !globals().task_throttling) return;
    const TaskCounts counts = thread.team->tasks.word.counts(std::memory_order_relaxed);  // a hint
    TaskDeque* const deque = thread.tasks.deque.load(std::memory_order_relaxed);
    if (nobody_lacks_work(counts) && deque != nullptr && !deque->holds_more_than(table.live() / 4)) {
        limit = std::min(limit, enough_tasks * static_cast<std::int64_t>(1 + counts.searching()));
    }
    if (table.live() <= limit) return;
    while (table.live() > limit / 2) {
        Task* const task = find_task(thread, thread.task);
        if (task == nullptr) return;
        execute_deferred(thread, *task);
    }
}

}  // namespace

void execute_now(Thread& thread, Task& task) {
    watch_nesting(task.depth.load(std::memory_order_relaxed));
    while (!run_part(thread, task, own_bottom(thread))) task.end_part(thread);
    finish_block(thread, task);
}

void execute_uncounted(Thread& thread, Task& task) {
    task_begin(thread, task);
    if (GOSSAMER_LIKELY(task.kind->run(task))) return task_end(thread, task);
    go_on_uncounted(thread, task);
}

void go_on_uncounted(Thread& thread, Task& task) {
    thread.task = task.parent.load(std::memory_order_relaxed);
    count_task(*thread.task, task);
    do task.end_part(thread);
    while (!run_part(thread, task, own_bottom(thread)));
    finish_block(thread, task);
}

Task& new_called_task(Thread& thread) {
    Task& task = new_task<Task>(thread, called_kind);
    task.executor.store(&thread, std::memory_order_relaxed);  // it holds for every task that the descriptor serves
    return task;
}

void count_late(Thread& thread, Task& task) {
    task.counted_in = family_tally(*thread.task);
    count_task(*thread.task, task);
    finish_block_slowly(thread, task);
}

void follow_push(Team& team, Task& parent, TaskDeque& deque) {
    if (!team.tasks.word.after_push().only_active()) wake_for_task(team, &parent);
    deque.answer_thief();
}

void execute_or_share(Thread& thread, Task& task) {
    if (GOSSAMER_UNLIKELY(!globals().task_throttling)) return share_task(*task.team, task);
    execute_now(thread, task);
}

bool may_have_descendants(const Task& task) {
    return task.children.here != 0 || task.family.here != 0 || (task.taskgroup != nullptr && task.taskgroup->owner == &task);
}

void put_back(Thread& thread, Task& task) {
    task.started = true;
    task.may_have_descendants = may_have_descendants(task);
    task.end_part(thread);
    task.executor.store(nullptr, std::memory_order_relaxed);  // the deque or the queue publishes it
    // A task of many parts goes behind others now and then, because it may wait for one of them; seldom, because mostly it just
    // goes on, and the queue is every thread's.
    constexpr std::uint32_t parts_in_front = 64;
    if (task.parts % parts_in_front != 0 && push_own(thread, task)) return;
    share_task(*task.team, task);
}

void execute_deferred(Thread& thread, Task& task) {
    if (GOSSAMER_UNLIKELY(tasks_cancelled(thread, task.taskgroup)) && !task.started) return discard_task(thread, task);
    if (GOSSAMER_UNLIKELY(!run_part(thread, task, own_bottom(thread)))) return put_back(thread, task);
    finish_block(thread, task);
    fiber::scheduling_point();
}

bool execute_own_slowly(Thread& thread, Tally& tally, std::int64_t floor) {
    TaskDeque* const deque = thread.tasks.deque.load(std::memory_order_relaxed);
    const Team& team = *thread.team;
    while (!tally.settle()) {
        if (GOSSAMER_UNLIKELY(deque == nullptr)) return false;
        const SharedQueue* const queue = team.tasks.known_queue();
        if (GOSSAMER_UNLIKELY(queue != nullptr) && queue->any_urgent()) return false;
        if (fiber::mode_is_on(fiber::mode_chaos) && thread.tasks.random.one_in(2)) return false;
        Task* const task = deque->pop(floor, os::yield_native);
        if (task == nullptr) return false;
        execute_deferred(thread, *task);
    }
    return true;
}

void task_submit(Thread& thread, Task& task, Dependences dependences, bool undeferred) {
    fiber::scheduling_point();
    Task& parent = *thread.task;
    count_task(parent, task);
    if (GOSSAMER_UNLIKELY(tasks_cancelled(thread, task.taskgroup)) && !task.started) return discard_task(thread, task);
    const bool now = undeferred || parent.icvs.final;
    const bool kept = !dependences.empty() && task.priority == 0 && !now && keep_tasks_if_spared(thread);
    if (GOSSAMER_UNLIKELY(kept)) count_kept(thread);
    const bool alone = kept || executes_at_once(thread);
    if (GOSSAMER_UNLIKELY(!dependences.empty()) && (!(alone || now) || dependences_matter(thread, task.detachable))) {
        const bool free = !task.detachable && lets_begin(*thread.task, dependences);
        if (now) {
            if (!free) enter_and_wait(thread, task, dependences);
            return execute_now(thread, task);
        }
        // A task that is executed within its construct need not be entered: no sibling can
        // be generated meanwhile to wait for it.
        if (free && (alone || (task.priority == 0 && has_enough_queued(thread)))) return execute_now(thread, task);
        if (!enter_dependences(thread, task, dependences)) return throttle(thread);
    }
    if (now || alone) return execute_now(thread, task);
    if (GOSSAMER_UNLIKELY(task.priority != 0) && thread.team->tasks.shared_queue().count() < globals().task_limit) {
        return share_task(*thread.team, task);
    }
    if (GOSSAMER_UNLIKELY(has_enough_queued(thread) || !push_own(thread, task))) execute_or_share(thread, task);
}

void make_task_ready(Thread* thread, Task& task) {
    if (GOSSAMER_LIKELY(thread != nullptr && thread->team == task.team && task.priority == 0 && task.team->size != 1)) {
        if (push_own(*thread, task)) return;
    }
    share_task(*task.team, task);
}

std::uint8_t task_priority(std::int32_t value) {
    const std::uint32_t most = globals().max_task_priority;
    if (value <= 0 || most == 0) return 0;
    const std::uint32_t level = static_cast<std::uint32_t>(value) < most ? static_cast<std::uint32_t>(value) : most;
    if (most < SharedQueue::levels) return static_cast<std::uint8_t>(level);
    return static_cast<std::uint8_t>(1 + std::uint64_t{level - 1} * (SharedQueue::levels - 1) / most);
}

namespace {

// How many tasks a thread keeps before it asks again whether it should: few, for they may take longer than those before, and
// other threads may have fallen asleep.
constexpr std::uint32_t most_kept_unasked = 7;

// Executes the children with dependences that the current task of `thread` has deferred and that may run.
GOSSAMER_NOINLINE void execute_kept(Thread& thread, const DependTable& table) {
    // Bounded, because an untied task may be put back at once, and wait for what the program does behind the construct.
    for (std::uint32_t most = table.live(); most != 0 && table.live() != 0; --most) {
        Task* const task = find_task(thread, thread.task, Thief::none);
        if (task == nullptr) break;
        count_kept(thread);
        execute_deferred(thread, *task);
    }
}

}  // namespace

bool keep_tasks_now(Thread& thread) {
    ThreadTasks& mine = thread.tasks;
    TaskDeque* const deque = mine.deque.load(std::memory_order_relaxed);
    if (deque == nullptr) return false;  // no thief can have stolen from it
    if (!may_execute_at_once(thread, thread.team->tasks.word.counts(std::memory_order_relaxed))) return false;  // a hint
    if (!mine.spared.has_small_tasks(mine.small_task_cycles)) return false;
    deque->answer_thief();
    if (const DependTable* const table = thread.task->depends; table != nullptr && table->live() != 0)
        execute_kept(thread, *table);
    mine.keeps_unasked = most_kept_unasked;
    return true;
}

bool lets_begin(const Task& parent, Dependences dependences) {
    return parent.depends == nullptr || parent.depends->lets_begin(dependences);
}

void taskwait(Thread& thread) {
    Task& task = *thread.task;
    if (task.children.here == 0) return fiber::polling_point();
    fiber::scheduling_point();
    if (GOSSAMER_UNLIKELY(!execute_own(thread, task, task.children, task.floor))) wait_for_tally(thread, task.children);
}

void wait_for_tally(Thread& thread, Tally& tally) {
    work_until(thread, constraint_of(thread), &tally, [&tally] { return tally.none_left(); });
    tally.settle();
}

void taskwait(Thread& thread, Dependences dependences) {
    fiber::scheduling_point();
    if (dependences.empty() || lets_begin(*thread.task, dependences)) return;
    Task marker;
    marker.parent.store(thread.task, std::memory_order_relaxed);
    marker.team = thread.team;
    enter_and_wait(thread, marker, dependences);
    release_successors(&thread, marker);
}

void taskwait_nowait(Thread& thread, Dependences dependences) {
    if (dependences.empty() || lets_begin(*thread.task, dependences)) return;
    static constexpr TaskKind empty{[](Task&) { return true; }, nullptr, nullptr};
    Task& task = new_task<Task>(thread, empty);
    task_submit(thread, task, dependences, false);
}

void finish_tasks_of(Thread& thread) {
    thread.note_change();  // a taskgroup of the implicit task may stay where it is
    Task& implicit = thread.implicit;
    const auto finish = [&thread](Tally& family) {
        if (execute_own(thread, *thread.task, family, INT64_MIN)) return;
        work_until(thread, nullptr, &family, [&family] { return family.none_left(); });
        family.settle();
    };
    finish(implicit.family);
    // Taskgroups that the construct's or the region's task reductions have opened.
    for (Taskgroup* group = implicit.taskgroup; group != nullptr; group = group->outer) {
        if (group->owner == &implicit) finish(group->family);
    }
    implicit.children.settle();
}

void taskyield(Thread& thread) {
    fiber::scheduling_point();
    if (thread.team->size != 1 || !thread.task->children.none_left()) {
        if (Task* const task = find_task(thread, thread.task)) {
            execute_deferred(thread, *task);
            return;
        }
    }
    fiber::yield();
}

}  // namespace gossamer::omp
