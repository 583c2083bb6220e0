// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "omp/task/tasking.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>

#include "omp/task/cancel.hpp"
#include "omp/task/idle.hpp"
#include "omp/task/lock_pause.hpp"
#include "omp/task/search.hpp"
#include "omp/team/team.hpp"

namespace gossamer::omp {

namespace {

constexpr std::int64_t ended = 1;  // what an ended task leaves in Tally::elsewhere besides twice those that are left

std::uint8_t entries_class(std::size_t count) { return BlockCache::class_of(count * sizeof(DependEntry)); }

void free_block(Thread* thread, std::uint8_t size_class, void* memory) {
    if (GOSSAMER_LIKELY(thread != nullptr)) {
        thread->tasks.blocks.give(size_class, memory);
    } else {
        BlockCache::give_to_depot(size_class, memory);
    }
}

void dispose(Thread* thread, Task& task) {
    if (GOSSAMER_UNLIKELY(task.depends != nullptr)) {
        DependTable::give(*task.depends);
        task.depends = nullptr;
    }
    if (task.stays) return;
    if (GOSSAMER_UNLIKELY(task.kind->dispose != nullptr)) return task.kind->dispose(task);
    free_block(thread, task.size_class, &task);
}

// Counts one in `tally`, whose generating task is `parent`, as complete or gone. True: that was the last one of a task that
// has ended.
bool count_off(Thread* thread, Task& parent, Tally& tally) {
    // relaxed: only the thread itself sets it to itself
    if (GOSSAMER_LIKELY(parent.executor.load(std::memory_order_relaxed) == thread && thread != nullptr)) {
        --tally.here;
        return false;
    }
    Team& team = *parent.team;
    // acq_rel: who comes last has acquired what all others did. The tally may be gone behind this line.
    const std::int64_t left = tally.elsewhere.fetch_add(2, std::memory_order_acq_rel) + 2;
    if (GOSSAMER_UNLIKELY((left & (Tally::waiter_unit - 1)) == 0)) {
        wake_task_sleeper(team, static_cast<std::uint32_t>(left / Tally::waiter_unit) - 1);
    }
    return left == ended;
}

// `task` and its family are complete: it goes, and maybe its ancestors with it.
void gone(Thread* thread, Task* task) {
    for (;;) {
        Task* const parent = task->parent.load(std::memory_order_relaxed);
        Tally& owed = *task->owed;
        dispose(thread, *task);
        if (GOSSAMER_LIKELY(!count_off(thread, *parent, owed))) return;
        task = parent;
    }
}

// The ready tasks that wait for `task` no more.
void release_successors(Thread* thread, Task& task) {
    DependTable& table = *task.parent.load(std::memory_order_relaxed)->depends;
    const bool stolen = thread != nullptr && thread->tasks.loot_at != 0;
    const std::uint64_t begin = GOSSAMER_UNLIKELY(stolen) ? arch::cycles() : 0;
    Task* ready;
    {
        SpinGuard guard(table.lock, LockPause());
        ready = table.remove(task);
    }
    free_block(thread, entries_class(task.entry_count), task.entries);
    task.entries = nullptr;
    if (GOSSAMER_UNLIKELY(stolen)) {
        thread->tasks.loot_cost += arch::cycles() - begin;
        ++thread->tasks.loot_depends;
    }
    while (ready != nullptr) {
        Task* const next = ready->next;
        if (GOSSAMER_UNLIKELY(ready->awaited)) {
            // Its frame may be gone once `ready` is true.
            Team& team = *ready->team;
            const std::uint32_t num = ready->last_thread->num;
            ready->ready.store(true, std::memory_order_seq_cst);  // pairs with the look before its thread sleeps
            wake_task_sleeper(team, num);
        } else {
            make_task_ready(thread, *ready);
        }
        ready = next;
    }
}

// The task is complete (§1.2.5). `thread`, which may be null, is the caller.
void complete(Thread* thread, Task& task) {
    if (GOSSAMER_UNLIKELY(task.entries != nullptr)) release_successors(thread, task);
    Task& parent = *task.parent.load(std::memory_order_relaxed);
    count_off(thread, parent, parent.children);
    Tally& family = task.family;
    if (GOSSAMER_UNLIKELY(!family.none_left())) {
        // acq_rel pairs with count_off. Its children are all elsewhere now: nobody executes it any more. Once that is told, the
        // last of them may free the task, and its memory may be another one: `here` is read before, and once.
        const std::int64_t due = ended - 2 * family.here;
        const std::int64_t left = family.elsewhere.fetch_add(due, std::memory_order_acq_rel);
        if (left + due != ended) return;
    }
    gone(thread, &task);
}

// A cancelled task. Nobody waits for its event, but somebody may still fulfil it: its memory is left to that.
void discard(Thread& thread, Task& task) {
    if (task.kind->discard != nullptr) task.kind->discard(task);
    const bool detachable = task.detachable;
    task.stays = detachable;
    complete(&thread, task);
    if (!detachable) return;
    // acq_rel pairs with task_fulfil
    if ((task.state.fetch_or(discarded_early, std::memory_order_acq_rel) & event_fulfilled) == 0) return;
    task.stays = false;
    dispose(&thread, task);
}

DependTable& depend_table(Task& parent) {
    if (GOSSAMER_UNLIKELY(parent.depends == nullptr)) {
        parent.depends = &DependTable::take();
        parent.plain = false;
    }
    return *parent.depends;
}

// Enters the task's dependences. True: it may run.
bool enter_dependences(Thread& thread, Task& task, Dependences dependences) {
    const std::size_t count = DependTable::entries_for(dependences.size());
    auto* const entries = static_cast<DependEntry*>(thread.tasks.blocks.take(entries_class(count)));
    DependTable& table = depend_table(*thread.task);
    task.plain = false;
    SpinGuard guard(table.lock, LockPause());
    return table.add(task, dependences, entries);
}

// Waits until `task`, whose dependences have been entered, may run.
void wait_for_predecessors(Thread& thread, Task& task) {
    // seq_cst pairs with the store by whoever completes the last of them
    work_until(thread, constraint_of(thread), nullptr, [&task] { return task.ready.load(std::memory_order_seq_cst); });
}

bool enter_and_wait(Thread& thread, Task& task, Dependences dependences) {
    task.awaited = true;
    task.last_thread = &thread;
    const bool ready = enter_dependences(thread, task, dependences);
    if (!ready) wait_for_predecessors(thread, task);
    task.awaited = false;
    task.last_thread = nullptr;
    return ready;
}

// So many tasks wait for their predecessors that the one which generates them had better execute some. Where nobody lacks work
// that is soon so: a chain of more tasks than that is out of the cache when its turn comes.
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

// In front of it everything the block's thread did is over, and nobody but its children knows the task.
void finish_block_slowly(Thread& thread, Task& task) {
    task.executor.store(nullptr, std::memory_order_relaxed);
    if (GOSSAMER_UNLIKELY(task.detachable)) {
        // acq_rel pairs with task_fulfil: the later of the two finds what the other has left
        if ((task.state.fetch_or(block_over, std::memory_order_acq_rel) & event_fulfilled) == 0) return;
    }
    complete(&thread, task);
}

void execute_now(Thread& thread, Task& task) {
    watch_nesting(task.depth.load(std::memory_order_relaxed));
    while (!run_part(thread, task, own_bottom(thread))) task.last_thread = &thread;
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
    do task.last_thread = &thread;
    while (!run_part(thread, task, own_bottom(thread)));
    finish_block(thread, task);
}

Task& new_called_task(Thread& thread) {
    Task& task = new_task<Task>(thread, called_kind);
    task.executor.store(&thread, std::memory_order_relaxed);  // for as long as it is kept
    return task;
}

void count_late(Thread& thread, Task& task) {
    task.owed = owed_to(*thread.task);
    count_task(*thread.task, task);
    finish_block_slowly(thread, task);
}

void execute_or_share(Thread& thread, Task& task) {
    if (GOSSAMER_UNLIKELY(!globals().task_throttling)) return share_task(*task.team, task);
    execute_now(thread, task);
}

bool has_kin(const Task& task) {
    return task.children.here != 0 || task.family.here != 0 || (task.taskgroup != nullptr && task.taskgroup->owner == &task);
}

void put_back(Thread& thread, Task& task) {
    task.started = true;
    task.has_kin = has_kin(task);
    task.last_thread = &thread;
    task.executor.store(nullptr, std::memory_order_relaxed);  // the queue publishes it
    // Now and then to where others come first: it may wait for them. Seldom, for with most it is only its next part.
    if (++thread.tasks.resumed % 64 != 0 && push_own(thread, task)) return;
    share_task(*task.team, task);
}

void execute_deferred(Thread& thread, Task& task) {
    if (GOSSAMER_UNLIKELY(tasks_cancelled(thread, task.taskgroup)) && !task.started) return discard(thread, task);
    if (GOSSAMER_UNLIKELY(!run_part(thread, task, own_bottom(thread)))) return put_back(thread, task);
    finish_block(thread, task);
}

bool execute_own_slowly(Thread& thread, Tally& tally, std::int64_t floor) {
    TaskDeque* const deque = thread.tasks.deque.load(std::memory_order_relaxed);
    const Team& team = *thread.team;
    while (!tally.settle()) {
        if (GOSSAMER_UNLIKELY(deque == nullptr)) return false;
        const SharedQueue* const queue = team.tasks.queue.load(std::memory_order_acquire);  // pairs with shared_queue
        if (GOSSAMER_UNLIKELY(queue != nullptr) && queue->any_urgent()) return false;
        if (fiber::mode_is_on(fiber::mode_chaos) && thread.tasks.random.one_in(2)) return false;
        Task* const task = deque->pop(floor, os::yield_native);
        if (task == nullptr) return false;
        execute_deferred(thread, *task);
    }
    return true;
}

TaskDeque* make_deque(Thread& thread) {
    const bool asymmetric = os::asymmetric_fence_ready();
    TaskFences::asymmetric.store(asymmetric, std::memory_order_relaxed);  // the deque publishes it
    constexpr std::uint32_t most = 1 << 24;
    const std::int64_t capacity = std::bit_ceil(globals().task_limit < most ? globals().task_limit : most);
    const std::size_t size = sizeof(TaskDeque) + static_cast<std::size_t>(capacity) * sizeof(TaskDeque::Slot);
    void* const memory = std::aligned_alloc(alignof(TaskDeque), align_up(size, alignof(TaskDeque)));
    if (memory == nullptr) return nullptr;
    auto* const slots = reinterpret_cast<TaskDeque::Slot*>(static_cast<char*>(memory) + sizeof(TaskDeque));
    for (std::int64_t i = 0; i < capacity; ++i) ::new (slots + i) TaskDeque::Slot(nullptr);
    const bool quick = asymmetric && !globals().cancellation && !fiber::mode_is_on(fiber::mode_chaos);
    const std::int64_t quick_most = enough_tasks < capacity ? enough_tasks : capacity - 1;
    auto* const deque = ::new (memory) TaskDeque(slots, capacity, quick ? quick_most : -1);
    thread.tasks.random = Random(globals().chaos_seed + thread.num + 1);
    thread.tasks.small_task = fiber::cycles_in(Spared::small_ns);
    thread.tasks.deque.store(deque, std::memory_order_release);  // pairs with those who look into others' deques
    return deque;
}

namespace {

void give_all(BlockCache& blocks, Task*& kept) {
    while (Task* const task = kept) {
        kept = task->next;
        blocks.give(task->size_class, task);
    }
}

}  // namespace

void drop_blanks(Thread& thread) { give_all(thread.tasks.blocks, thread.tasks.blank); }

ThreadTasks::~ThreadTasks() {
    give_all(blocks, called);
    give_all(blocks, blank);
    static_assert(std::is_trivially_destructible_v<TaskDeque>);
    std::free(deque.load(std::memory_order_relaxed));
}

void task_submit(Thread& thread, Task& task, Dependences dependences, bool undeferred) {
    fiber::scheduling_point();
    Task& parent = *thread.task;
    count_task(parent, task);
    if (GOSSAMER_UNLIKELY(tasks_cancelled(thread, task.taskgroup)) && !task.started) return discard(thread, task);
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
        // What nobody can come to wait for, since the one who generates is busy with it, need not be entered.
        if (free && (alone || (task.priority == 0 && is_crowded(thread)))) return execute_now(thread, task);
        if (!enter_dependences(thread, task, dependences)) return throttle(thread);
    }
    if (now || alone) return execute_now(thread, task);
    if (GOSSAMER_UNLIKELY(task.priority != 0) && shared_queue(*thread.team).count() < globals().task_limit) {
        return share_task(*thread.team, task);
    }
    if (GOSSAMER_UNLIKELY(is_crowded(thread) || !push_own(thread, task))) execute_or_share(thread, task);
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

void task_drop(Thread& thread, Task& task) { dispose(&thread, task); }

void task_fulfil(Task& task) {
    // acq_rel pairs with finish_block_slowly and discard
    const std::uint8_t before = task.state.fetch_or(event_fulfilled, std::memory_order_acq_rel);
    if ((before & (block_over | discarded_early)) == 0) return;
    // As one who is no OpenMP thread, even if it is: what becomes ready need not descend from what it executes.
    if ((before & block_over) != 0) {
        complete(nullptr, task);
    } else {
        task.stays = false;
        dispose(nullptr, task);
    }
}

namespace {

// Who keeps a task keeps so many behind it unasked: a few, for they may take longer than those before, and others be asleep.
constexpr std::uint32_t kept_unasked = 7;

// Executes what `thread` has put off of its current task's children with dependences.
GOSSAMER_NOINLINE void execute_kept(Thread& thread, const DependTable& table) {
    // One that is untied may lie there again at once, and wait for what comes behind the construct.
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
    if (deque == nullptr) return false;  // nobody has stolen from it
    if (!may_go_ahead(thread, thread.team->tasks.word.counts(std::memory_order_relaxed))) return false;  // a hint
    if (!mine.spared.has_small_tasks(mine.small_task)) return false;
    deque->answer_thief();
    if (const DependTable* const table = thread.task->depends; table != nullptr && table->live() != 0)
        execute_kept(thread, *table);
    mine.keeps_on = kept_unasked;
    return true;
}

bool lets_begin(const Task& parent, Dependences dependences) {
    return parent.depends == nullptr || parent.depends->lets_begin(dependences);
}

void taskwait(Thread& thread) {
    fiber::scheduling_point();
    Task& task = *thread.task;
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
    thread.note_change();  // of its taskgroups the last may stay where it is
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
