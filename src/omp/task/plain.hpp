// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The way of a plain task: one thread generates, executes and completes it, while nobody steals. Inline, so that such a
// task costs little more than a call: no locked instruction, no fence, and nothing is written that nobody reads. Whatever
// else a task may need leads from here to tasking.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>

#include "omp/task/cancel.hpp"
#include "omp/task/task.hpp"
#include "omp/task/taskgroup.hpp"
#include "omp/task/wake.hpp"
#include "omp/team/team.hpp"
#include "omp/thread/thread.hpp"

namespace gossamer::omp {

// What is not plain: complete.cpp, tasking.cpp.

// The block of `task` is over.
GOSSAMER_NOINLINE void finish_block_slowly(Thread& thread, Task& task);
// Of the thread that executes the task: whether it may have descendants that are not gone.
bool has_kin(const Task& task);
// An untied task wants to be called once more, by any thread.
GOSSAMER_COLD void put_back(Thread& thread, Task& task);
// Executes a task that is counted, and that nobody else has, now. May suspend.
GOSSAMER_NOINLINE void execute_now(Thread& thread, Task& task);
// Executes a task that waits for nobody within its construct. May suspend.
GOSSAMER_NOINLINE void execute_uncounted(Thread& thread, Task& task);
// The same for an untied one whose first part is over and that wants to be called once more.
GOSSAMER_COLD void go_on_uncounted(Thread& thread, Task& task);
// The block of an uncounted task has ended before something of it has.
GOSSAMER_NOINLINE void count_late(Thread& thread, Task& task);
// A task for which there is no room in the deque: executes it, or shares it where the user wants no throttling. May suspend.
GOSSAMER_NOINLINE void execute_or_share(Thread& thread, Task& task);
// Executes a deferred task that the caller has taken. May suspend.
GOSSAMER_NOINLINE void execute_deferred(Thread& thread, Task& task);
// execute_own by the deque's general ways.
GOSSAMER_NOINLINE bool execute_own_slowly(Thread& thread, Tally& tally, std::int64_t floor);

// Where a child of `from` is counted until it is gone.
inline Tally* owed_to(Task& from) {
    return from.taskgroup != nullptr && from.taskgroup->owner == &from ? &from.taskgroup->family : &from.family;
}

inline void Task::take_over(Task& from, std::uint32_t its_depth) {
    icvs = from.icvs;
    taskgroup = from.taskgroup;
    parent.store(&from, std::memory_order_relaxed);
    scope.store(nullptr, std::memory_order_relaxed);
    depth.store(its_depth, std::memory_order_relaxed);
}

inline Task::Task(Task& from, Team* its_team, const TaskKind& its_kind)
    : icvs(from.icvs),
      taskgroup(from.taskgroup),
      parent(&from),
      owed(owed_to(from)),
      kind(&its_kind),
      team(its_team),
      depth(from.depth.load(std::memory_order_relaxed) + 1) {}  // its own thread's

// A child of the current task: a T, which derives from Task and is made of (parent, team, kind), with `extra` bytes behind
// it. Its alignment is a cache line's. task_submit comes next.
template <class T>
T& new_task(Thread& thread, const TaskKind& kind, std::size_t extra = 0) {
    const std::uint8_t size_class = BlockCache::class_of(sizeof(T) + extra);
    T* const task = ::new (thread.tasks.blocks.take(size_class)) T(*thread.task, thread.team, kind);
    task->size_class = size_class;
    if (GOSSAMER_UNLIKELY(!BlockCache::is_fine(size_class) || kind.dispose != nullptr)) task->plain = false;
    return *task;
}

// The same for a `kind` without dispose, where the thread has memory at hand; else null. So many bytes may be behind it.
template <class T>
constexpr std::size_t quick_extra = BlockCache::most_fine - sizeof(T);
template <class T>
GOSSAMER_INLINE T* new_task_quickly(Thread& thread, Task& parent, const TaskKind& kind, std::size_t extra) {
    const std::uint8_t size_class = BlockCache::class_of(sizeof(T) + extra);
    void* const memory = thread.tasks.blocks.take_fine(size_class);
    if (GOSSAMER_UNLIKELY(memory == nullptr)) return nullptr;
    T* const task = ::new (memory) T(parent, thread.team, kind);  // nothing that a plain task never reads
    task->size_class = size_class;
    return task;
}

// The same with one of the same kind and size that was executed within its construct and kept as it is (task_end_kept_blank): it differs
// from a new one only in what it takes from its parent, a third of what that has to write.
template <class T>
GOSSAMER_INLINE T* blank_task(Thread& thread, Task& parent, const TaskKind& kind, std::size_t extra) {
    Task* const task = thread.tasks.blank;
    if (task == nullptr) return nullptr;
    if (GOSSAMER_UNLIKELY(task->kind != &kind || task->size_class != BlockCache::class_of(sizeof(T) + extra))) {
        thread.tasks.drop_blanks();
        return nullptr;
    }
    thread.tasks.blank = task->next;
    task->take_over(parent, parent.depth.load(std::memory_order_relaxed) + 1);
    task->owed = owed_to(parent);
    task->executor.store(nullptr, std::memory_order_relaxed);
    return static_cast<T*>(task);
}

// A task is counted from when it is submitted.
inline void count_task(Task& parent, Task& task) {
    ++parent.children.here;
    ++task.owed->here;
}

// So many in a deque are enough for all the others of a team; and so many where they are not worth stealing.
constexpr std::int64_t enough_tasks = 64;
constexpr std::int64_t few_tasks = 8;

// Tasks nested so deep might go on without end, and with them the stack of who executes each at once.
constexpr std::uint32_t deep_nesting = 64;

// Whether a task may be executed where it is generated though it need not.
inline bool may_nest(const Task& parent) {
    return GOSSAMER_LIKELY(parent.depth.load(std::memory_order_relaxed) < deep_nesting) || fiber::has_ample_stack();
}

// Whether nobody would come for a task that is put off: the others are busy or searching, or there is no carrier for them.
inline bool nobody_lacks_work(TaskCounts counts) { return counts.all_awake() || !fiber::anybody_sleeps(); }

// Whether the thread may execute at once what it could put off.
inline bool may_go_ahead(const Thread& thread, TaskCounts counts) {
    return nobody_lacks_work(counts) && known_globals().task_throttling &&
           thread.task->depth.load(std::memory_order_relaxed) < deep_nesting;
}

// Whether a task that the thread generates now had better be executed by it at once: it has enough for all others.
inline bool is_crowded(const Thread& thread, TaskDeque& deque) {
    const std::int64_t quick = deque.quick();
    const std::int64_t enough = GOSSAMER_LIKELY(quick >= 0) ? quick : enough_tasks;
    if (GOSSAMER_LIKELY(!deque.holds_more_than(enough))) return false;
    const TaskCounts counts = thread.team->tasks.word.counts(std::memory_order_relaxed);  // a hint
    return may_go_ahead(thread, counts) && deque.holds_more_than(enough * static_cast<std::int64_t>(1 + counts.searching()));
}
inline bool is_crowded(const Thread& thread) {
    TaskDeque* const deque = thread.tasks.deque.load(std::memory_order_relaxed);
    if (deque == nullptr) return false;
    deque->answer_thief();  // who executes all at once neither pushes nor pops
    return is_crowded(thread, *deque);
}

// After a push into the own deque: whoever sleeps and is of use is woken. `parent`: of what was pushed; null: of several.
inline void tell_of_push(Team& team, Task* parent) {
    TaskFences::light();  // pairs with the heavy fence before a thread sleeps
    if (GOSSAMER_UNLIKELY(!team.tasks.word.after_push().only_active())) wake_for_task(team, parent);
}

// Puts a ready task of `thread`'s into its deque. False: there is no room.
inline bool push_own(Thread& thread, Task& task) {
    TaskDeque* deque = thread.tasks.deque.load(std::memory_order_relaxed);
    if (GOSSAMER_UNLIKELY(deque == nullptr)) {
        deque = make_deque(thread);
        if (deque == nullptr) return false;
    }
    if (GOSSAMER_UNLIKELY(!deque->push(&task))) return false;
    tell_of_push(*thread.team, thread.task);
    deque->answer_thief();
    return true;
}

// The deque, if little lies in it and a task without clauses that `thread` generates now in `parent` goes there by
// defer_quickly; else null. A deque that is quick says that neither chaos nor cancellation is on (make_deque), and has room.
GOSSAMER_INLINE TaskDeque* quick_deque(const Thread& thread, const Task& parent) {
    TaskDeque* const deque = thread.tasks.deque.load(std::memory_order_relaxed);
    if (GOSSAMER_UNLIKELY(deque == nullptr || !deque->pushes_quickly(deque->bottom()))) return nullptr;
    if (GOSSAMER_UNLIKELY(thread.team->size == 1 || parent.icvs.final)) return nullptr;
    return deque;
}

// Whether a task that `thread` generates now is executed at once because nobody else could: in a team of one. Not at the end
// of a long chain of such tasks, which would grow the stack without end; and an initial thread comes to no barrier at which
// it would find what it has put off.
inline bool executes_at_once(const Thread& thread) {
    return thread.team->size == 1 && (may_nest(*thread.task) || thread.team->parent == nullptr);
}

// Whether one that is executed at once needs nothing but its call.
inline bool nothing_watches_tasks() { return !fiber::mode_is_on(fiber::mode_chaos) && !known_globals().cancellation; }

// Where quick_deque is null, or memory is not at hand: what becomes of the same task.
enum class Way { deferred, at_once, slow };  // by defer_quickly; as an uncounted one; not known
GOSSAMER_INLINE Way way_of(const Thread& thread, const Task& parent) {
    if (parent.icvs.final || executes_at_once(thread))
        return GOSSAMER_LIKELY(nothing_watches_tasks()) ? Way::at_once : Way::slow;
    TaskDeque* const deque = thread.tasks.deque.load(std::memory_order_relaxed);
    if (deque == nullptr || !deque->is_quick() || thread.team->size == 1) return Way::slow;
    if (is_crowded(thread)) return Way::at_once;
    return deque->has_room() ? Way::deferred : Way::slow;
}

GOSSAMER_INLINE void defer_quickly(Thread& thread, Task& parent, TaskDeque& deque, Task& task) {
    Team& team = *thread.team;
    count_task(parent, task);
    deque.push_quickly(deque.bottom(), &task);
    TaskFences::order();  // as in tell_of_push, whose fence it is where a deque is quick
    if (GOSSAMER_UNLIKELY(!team.tasks.word.after_push().only_active())) wake_for_task(team, &parent);
    deque.answer_thief();
}

// The block of a task that `thread` has executed is over.
inline void finish_block(Thread& thread, Task& task) {
    Task& parent = *task.parent.load(std::memory_order_relaxed);
    // relaxed: only the thread itself sets it to itself. A family that is complete elsewhere is not looked at here.
    if (GOSSAMER_UNLIKELY(!task.plain || parent.executor.load(std::memory_order_relaxed) != &thread || task.family.here != 0)) {
        return finish_block_slowly(thread, task);
    }
    --parent.children.here;
    --task.owed->here;
    thread.tasks.blocks.give_fine(task.size_class, &task);
}

// Behind this index lies what `thread` pushes from now on.
inline std::int64_t own_bottom(const Thread& thread) {
    const TaskDeque* const deque = thread.tasks.deque.load(std::memory_order_relaxed);
    return deque != nullptr ? deque->bottom() : 0;
}

// An initial thread's stack is watched once its tasks are nested so deep that they might go on without end; those of others are
// always.
inline void watch_nesting(std::uint32_t depth) {
    if (GOSSAMER_UNLIKELY(depth == deep_nesting)) fiber::watch_own_stack();
}

// The two ends of the block of a task without dependences that its generating thread executes within the construct. Nobody looks
// at its parent's tallies meanwhile: it is counted only if something of it is left behind its block. Its kind's `run` need not
// be called; task_end disposes of it.
GOSSAMER_INLINE void task_begin(Thread& thread, Task& task) {
    task.floor = own_bottom(thread);
    task.executor.store(&thread, std::memory_order_relaxed);
    thread.task = &task;
    watch_nesting(task.depth.load(std::memory_order_relaxed));
}
GOSSAMER_INLINE void task_end(Thread& thread, Task& task) {
    thread.task = task.parent.load(std::memory_order_relaxed);
    if (GOSSAMER_UNLIKELY(!task.plain || task.family.here != 0)) return count_late(thread, task);
    thread.tasks.blocks.give_fine(task.size_class, &task);
}

// task_end of one made by blank_task, or by new_task_quickly where that had none: of no other, or nobody would take it from the list
// again. One that has left nothing behind its block is kept for the former; as many as were there at one time.
GOSSAMER_INLINE void task_end_kept_blank(Thread& thread, Task& task) {
    if (GOSSAMER_UNLIKELY(!task.plain || (task.family.here | task.children.here) != 0 ||
                          task.depth.load(std::memory_order_relaxed) >= deep_nesting)) {
        return task_end(thread, task);
    }
    thread.task = task.parent.load(std::memory_order_relaxed);
    task.next = thread.tasks.blank;
    thread.tasks.blank = &task;
}

// A task that is nothing but a call within its construct. Of one that has left nothing behind its block the thread keeps the
// descriptor as it is, for the next one begins like it but for what it takes from its parent. As many are kept as were nested, up
// to so many: some 256 KiB.
constexpr std::uint32_t most_kept = 1024;
constexpr TaskKind called_kind{nullptr, nullptr, nullptr};
GOSSAMER_NOINLINE Task& new_called_task(Thread& thread);

template <class Call>
GOSSAMER_INLINE void call_task(Thread& thread, Task& parent, bool untied, bool final, const Call& call) {
    Task* kept = thread.tasks.called;
    const std::uint32_t depth = parent.depth.load(std::memory_order_relaxed) + 1;
    if (GOSSAMER_LIKELY(kept != nullptr)) {
        thread.tasks.called = kept->next;
        kept->take_over(parent, depth);
    } else {
        kept = &new_called_task(thread);
    }
    Task& task = *kept;
    if (GOSSAMER_UNLIKELY(untied)) task.untie();
    if (final) task.icvs.final = true;
    task.floor = own_bottom(thread);
    thread.task = &task;
    watch_nesting(depth);
    call();
    if (GOSSAMER_UNLIKELY(!task.plain || (task.family.here | task.children.here) != 0 || depth >= most_kept)) {
        return task_end(thread, task);
    }
    thread.task = &parent;
    task.next = thread.tasks.called;
    thread.tasks.called = &task;
}

// Makes the task, which `thread` has taken, its current one until it ends or asks to be called again. True: it is over.
inline bool run_part(Thread& thread, Task& task, std::int64_t bottom) {
    Task* const outer = thread.task;
    // What an untied task has pushed in an earlier part may still lie there.
    if (GOSSAMER_LIKELY(task.last_thread != &thread)) task.floor = bottom;
    task.executor.store(&thread, std::memory_order_relaxed);
    thread.task = &task;
    const bool over = task.kind->run(task);
    thread.task = outer;
    return over;
}

// The same, to its end, for a task that `thread` has popped from index `bottom` of a quick deque while it waits in `outer`.
GOSSAMER_INLINE void execute_quickly(Thread& thread, Task& outer, Task& task, std::int64_t bottom) {
    if (GOSSAMER_UNLIKELY(task.last_thread != nullptr)) return execute_deferred(thread, task);  // it has had a part
    task.floor = bottom;
    task.executor.store(&thread, std::memory_order_relaxed);
    thread.task = &task;
    const bool over = task.kind->run(task);
    thread.task = &outer;
    if (GOSSAMER_UNLIKELY(!over)) return put_back(thread, task);
    // relaxed: it was the task's generator who wrote it. What is not `outer`'s child may still be plain.
    if (GOSSAMER_UNLIKELY(!task.plain || task.parent.load(std::memory_order_relaxed) != &outer || task.family.here != 0)) {
        return finish_block(thread, task);
    }
    --outer.children.here;
    --task.owed->here;
    thread.tasks.blocks.give_fine(task.size_class, &task);
}

// Executes what `thread` has pushed at or above `floor` until nothing is left in `tally`, which is of `outer`, its current task.
// False: something is left, but not there, or something else comes first. May suspend.
GOSSAMER_INLINE bool execute_own(Thread& thread, Task& outer, Tally& tally, std::int64_t floor) {
    if (tally.here == 0) return true;
    TaskDeque* const deque = thread.tasks.deque.load(std::memory_order_relaxed);
    if (GOSSAMER_UNLIKELY(deque == nullptr || !deque->is_quick())) return execute_own_slowly(thread, tally, floor);
    const Team& team = *thread.team;
    do {
        const SharedQueue* const queue = team.tasks.known_queue();
        if (GOSSAMER_UNLIKELY(queue != nullptr) && queue->any_urgent()) return tally.settle();
        Task* task;
        std::int64_t index;
        if (GOSSAMER_UNLIKELY(!deque->pop_quickly(floor, task, index))) return execute_own_slowly(thread, tally, floor);
        execute_quickly(thread, outer, *task, index);
    } while (tally.here != 0);
    return true;
}

}  // namespace gossamer::omp
