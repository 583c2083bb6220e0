// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "omp/task/complete.hpp"

#include "omp/task/lock_pause.hpp"
#include "omp/task/tasking.hpp"
#include "omp/task/wake.hpp"

namespace gossamer::omp {

namespace {

constexpr std::int64_t ended = 1;  // what an ended task leaves in Tally::elsewhere, besides two for each child that is left

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
    if (task.kept_for_event) return;
    if (GOSSAMER_UNLIKELY(task.kind->dispose != nullptr)) return task.kind->dispose(task);
    free_block(thread, task.size_class, &task);
}

// Counts one child of `parent` in `tally` as complete, or as gone. True: the parent has ended, and that was the last child.
bool count_off(Thread* thread, Task& parent, Tally& tally) {
    // relaxed: only the executing thread stores its own address
    if (GOSSAMER_LIKELY(parent.executor.load(std::memory_order_relaxed) == thread && thread != nullptr)) {
        --tally.here;
        return false;
    }
    Team& team = *parent.team;
    // acq_rel pairs with itself, sleep and complete: the last thread has acquired what all others did. The tally may be gone
    // behind this line.
    const std::int64_t left = tally.elsewhere.fetch_add(2, std::memory_order_acq_rel) + 2;
    if (GOSSAMER_UNLIKELY((left & (Tally::waiter_unit - 1)) == 0)) {
        wake_task_sleeper(team, static_cast<std::uint32_t>(left / Tally::waiter_unit) - 1);
    }
    return left == ended;
}

// Disposes of `task`, which is complete and has no descendants left, and of the ancestors that have waited for that alone.
void remove_gone(Thread* thread, Task* task) {
    for (;;) {
        Task* const parent = task->parent.load(std::memory_order_relaxed);
        Tally& counted_in = *task->counted_in;
        dispose(thread, *task);
        if (GOSSAMER_LIKELY(!count_off(thread, *parent, counted_in))) return;
        task = parent;
    }
}

// The task is complete (§1.2.5). `thread`, which may be null, is the caller.
void complete(Thread* thread, Task& task) {
    if (GOSSAMER_UNLIKELY(task.entries != nullptr)) release_successors(thread, task);
    Task& parent = *task.parent.load(std::memory_order_relaxed);
    count_off(thread, parent, parent.children);
    Tally& family = task.family;
    if (GOSSAMER_UNLIKELY(!family.none_left())) {
        // No thread executes the task any more, so the children that are left all count off
        // in `elsewhere`. Once that holds what is due, the last of them may free the task,
        // and its memory may become another task's: `here` is read before, and once.
        const std::int64_t due = ended - 2 * family.here;
        // acq_rel pairs with count_off
        const std::int64_t left = family.elsewhere.fetch_add(due, std::memory_order_acq_rel);
        if (left + due != ended) return;
    }
    remove_gone(thread, &task);
}

}  // namespace

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
            // The task may lie in its thread's frame, which is gone once `ready` is true.
            Team& team = *ready->team;
            const std::uint32_t num = ready->last_thread->num;
            ready->ready.store(true, std::memory_order_seq_cst);  // pairs with wait_for_predecessors, before its thread sleeps
            wake_task_sleeper(team, num);
        } else {
            make_task_ready(thread, *ready);
        }
        ready = next;
    }
}

// Everything that the block's thread did for the task lies before this, and only its children still know the task.
void finish_block_slowly(Thread& thread, Task& task) {
    task.executor.store(nullptr, std::memory_order_relaxed);
    if (GOSSAMER_UNLIKELY(task.detachable)) {
        // acq_rel pairs with task_fulfil: the later of the two finds the other's bit, and what the other did before
        if ((task.state.fetch_or(block_over, std::memory_order_acq_rel) & event_fulfilled) == 0) return;
    }
    complete(&thread, task);
}

// Nobody waits for the event of a cancelled task, but the program may still fulfil it: the later of the two frees the memory.
void discard_task(Thread& thread, Task& task) {
    if (task.kind->discard != nullptr) task.kind->discard(task);
    const bool detachable = task.detachable;
    task.kept_for_event = detachable;
    complete(&thread, task);
    if (!detachable) return;
    // acq_rel pairs with task_fulfil
    if ((task.state.fetch_or(discarded_early, std::memory_order_acq_rel) & event_fulfilled) == 0) return;
    task.kept_for_event = false;
    dispose(&thread, task);
}

void task_drop(Thread& thread, Task& task) { dispose(&thread, task); }

void task_fulfil(Task& task) {
    // acq_rel pairs with finish_block_slowly and discard_task
    const std::uint8_t before = task.state.fetch_or(event_fulfilled, std::memory_order_acq_rel);
    if ((before & (block_over | discarded_early)) == 0) return;
    // No thread is named, though the caller may be one: a successor need not descend from the task that the caller executes, so
    // it must not go into the caller's deque.
    if ((before & block_over) != 0) {
        complete(nullptr, task);
    } else {
        task.kept_for_event = false;
        dispose(nullptr, task);
    }
}

}  // namespace gossamer::omp
