// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The way of a plain task: one thread generates, executes and completes it, and no thief takes it. Inline, so that such a
// task costs little more than a call: no locked instruction, no fence, and no field is written that no thread reads. Whatever
// else a task may need leads from here to tasking.cpp and complete.cpp.
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

// Ends the block of `task`, which may have children left, an event, dependences, or a parent that another thread executes.
GOSSAMER_NOINLINE void finish_block_slowly(Thread& thread, Task& task);
// Whether the task may have descendants that are not gone. For the thread that executes it.
bool may_have_descendants(const Task& task);
// Defers the next part of an untied task, whose routine has returned and wants to
// be called once more. Any thread may execute it.
GOSSAMER_COLD void put_back(Thread& thread, Task& task);
// Executes a task that is counted (count_task) and known to no other thread. May suspend.
GOSSAMER_NOINLINE void execute_now(Thread& thread, Task& task);
// Executes, within its construct, a task that has no predecessors and is not counted. May suspend.
GOSSAMER_NOINLINE void execute_uncounted(Thread& thread, Task& task);
// The same for the later parts of an untied task. May suspend.
GOSSAMER_COLD void go_on_uncounted(Thread& thread, Task& task);
// The block of an uncounted task is over, but the task is not complete, or has
// descendants: counts it, so that its parent waits.
GOSSAMER_NOINLINE void count_late(Thread& thread, Task& task);
// Executes a task for which the deque has no room, or shares it where the user wants no throttling. May suspend.
GOSSAMER_NOINLINE void execute_or_share(Thread& thread, Task& task);
// Executes a deferred task that the caller has taken out of a deque or the shared queue. May suspend.
GOSSAMER_NOINLINE void execute_deferred(Thread& thread, Task& task);
// execute_own for a deque that is not quick, or when a quick pop has failed. May suspend.
GOSSAMER_NOINLINE bool execute_own_slowly(Thread& thread, Tally& tally, std::int64_t floor);

// The tally in which a child of `from` is counted until it is gone.
inline Tally* family_tally(Task& from) {
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
      counted_in(family_tally(from)),
      kind(&its_kind),
      team(its_team),
      depth(from.depth.load(std::memory_order_relaxed) + 1) {}  // relaxed: the caller executes `from`

// Makes a child of the current task: a T, which derives from Task and is constructed
// from (parent, team, kind), with `extra` bytes behind it, aligned to a cache line. The
// caller submits it (task_submit) or executes it. Ends the program when memory is out.
template <class T>
T& new_task(Thread& thread, const TaskKind& kind, std::size_t extra = 0) {
    const std::uint8_t size_class = BlockCache::class_of(sizeof(T) + extra);
    T* const task = ::new (thread.tasks.blocks.take(size_class)) T(*thread.task, thread.team, kind);
    task->size_class = size_class;
    if (GOSSAMER_UNLIKELY(!BlockCache::is_fine(size_class) || kind.dispose != nullptr)) task->plain = false;
    return *task;
}

// Descriptors of tasks nested deeper than this are not kept, so that a thread keeps some 256 KiB of them at most.
constexpr std::uint32_t most_kept = 1024;

// The same for a `kind` without dispose; null if the thread's cache holds no block of that size. quick_extra: the most bytes
// that may lie behind the task.
template <class T>
constexpr std::size_t quick_extra = BlockCache::most_fine - sizeof(T);
template <class T>
GOSSAMER_INLINE T* new_task_quickly(Thread& thread, Task& parent, const TaskKind& kind, std::size_t extra) {
    const std::uint8_t size_class = BlockCache::class_of(sizeof(T) + extra);
    void* const memory = thread.tasks.blocks.take_fine(size_class);
    if (GOSSAMER_UNLIKELY(memory == nullptr)) return nullptr;
    T* const task = ::new (memory) T(parent, thread.team, kind);  // leaves out what a plain task never reads
    task->size_class = size_class;
    task->reusable = task->depth.load(std::memory_order_relaxed) < most_kept;
    return task;
}

// Makes a child of `parent`, the current task of `thread`, of the newest descriptor that free_descriptor has kept, which is of
// the wanted kind and size. It differs from a new one only in what a task takes from its parent, a third of what a new one has
// to write.
GOSSAMER_INLINE void take_blank(Thread& thread, Task& parent, Task& blank) {
    thread.tasks.blank = blank.next;
    blank.take_over(parent, parent.depth.load(std::memory_order_relaxed) + 1);
    blank.counted_in = family_tally(parent);
    blank.executor.store(nullptr, std::memory_order_relaxed);
}

// Whether the kept descriptor is what new_task_quickly would make, but for what it takes from its parent.
template <class T>
GOSSAMER_INLINE bool fits(const Task& blank, const TaskKind& kind, std::size_t extra) {
    return blank.kind == &kind && blank.size_class == BlockCache::class_of(sizeof(T) + extra);
}

// new_task_quickly out of a kept descriptor, if the newest fits. One that does not fit goes back to the cache, so that no more
// are kept than existed at one time.
template <class T>
GOSSAMER_INLINE T* new_or_blank_task(Thread& thread, Task& parent, const TaskKind& kind, std::size_t extra) {
    if (Task* const blank = thread.tasks.blank; GOSSAMER_LIKELY(blank != nullptr)) {
        if (GOSSAMER_LIKELY(fits<T>(*blank, kind, extra))) {
            take_blank(thread, parent, *blank);
            return static_cast<T*>(blank);
        }
        thread.tasks.blank = blank->next;
        thread.tasks.blocks.give_fine(blank->size_class, blank);
    }
    return new_task_quickly<T>(thread, parent, kind, extra);
}

// Frees the descriptor of a plain task whose block is over and which `thread` has generated and executed; or keeps it as it is,
// for the next task. As many are kept as existed at one time, for a reusable one is made only where none was kept, or in place
// of one that did not fit.
GOSSAMER_INLINE void free_descriptor(Thread& thread, Task& task) {
    if (GOSSAMER_UNLIKELY(!task.reusable || task.children.here != 0)) {
        return thread.tasks.blocks.give_fine(task.size_class, &task);
    }
    task.next = thread.tasks.blank;
    thread.tasks.blank = &task;
}

// The same for a task that `thread` has taken out of a deque or a queue; `parent` is its parent, and executed by `thread`. Only
// a tied parent's children have certainly been generated by the thread that executes it now.
GOSSAMER_INLINE void free_deferred(Thread& thread, const Task& parent, Task& task) {
    if (GOSSAMER_UNLIKELY(parent.scope.load(std::memory_order_relaxed) != nullptr)) {
        return thread.tasks.blocks.give_fine(task.size_class, &task);
    }
    free_descriptor(thread, task);
}

// Counts a task that is being submitted in its parent's tallies.
inline void count_task(Task& parent, Task& task) {
    ++parent.children.here;
    ++task.counted_in->here;
}

// Tasks in a deque that are enough for all other threads of a team; and where they are not worth stealing (spared.hpp). At
// least one for each other thread: as many tasks as a team has threads may wait for each other without a scheduling point. The
// specification does not promise that, but every runtime keeps it that defers tasks.
constexpr std::int64_t enough_tasks = 64;
constexpr std::int64_t few_tasks = 8;
inline std::int64_t enough_for(const Team& team, std::int64_t tasks) {
    const auto others = static_cast<std::int64_t>(team.size) - 1;
    return GOSSAMER_LIKELY(tasks >= others) ? tasks : others;
}

// Tasks nested so deep may go on without end, and with them the stack of a thread that executes each where it generates it.
constexpr std::uint32_t deep_nesting = 64;

// Whether the stack has room to execute a task where it is generated, though it could be deferred.
inline bool may_nest(const Task& parent) {
    return GOSSAMER_LIKELY(parent.depth.load(std::memory_order_relaxed) < deep_nesting) || fiber::has_ample_stack();
}

// Whether a deferred task would help no other thread: all are busy or searching, or no carrier is idle.
inline bool nobody_lacks_work(TaskCounts counts) { return counts.all_awake() || !fiber::anybody_sleeps(); }

// Whether the thread may execute at once a task that it could defer.
inline bool may_execute_at_once(const Thread& thread, TaskCounts counts) {
    return nobody_lacks_work(counts) && known_globals().task_throttling &&
           thread.task->depth.load(std::memory_order_relaxed) < deep_nesting;
}

// Whether the deque holds enough tasks for all other threads, so that a task which is generated now is best executed at once.
inline bool has_enough_queued(const Thread& thread, TaskDeque& deque) {
    const std::int64_t quick = deque.quick();
    const std::int64_t enough = enough_for(*thread.team, GOSSAMER_LIKELY(quick >= 0) ? quick : enough_tasks);
    if (GOSSAMER_LIKELY(!deque.holds_more_than(enough))) return false;
    const TaskCounts counts = thread.team->tasks.word.counts(std::memory_order_relaxed);  // a hint
    return may_execute_at_once(thread, counts) &&
           deque.holds_more_than(enough * static_cast<std::int64_t>(1 + counts.searching()));
}
inline bool has_enough_queued(const Thread& thread) {
    TaskDeque* const deque = thread.tasks.deque.load(std::memory_order_relaxed);
    if (deque == nullptr) return false;
    deque->answer_thief();  // a thread that executes every task at once answers at no push and no pop
    return has_enough_queued(thread, *deque);
}

// After a push into the thread's own deque: wakes a sleeping thread that may execute what was pushed. `parent`: the parent of
// that task; null: several tasks were pushed.
inline void announce_push(Team& team, Task* parent) {
    TaskFences::light();  // pairs with the heavy fence of a second look, before a carrier parks
    if (GOSSAMER_UNLIKELY(!team.tasks.word.after_push().only_active())) wake_for_task(team, parent);
}

// Pushes a ready task into the deque of `thread`, which is the caller. False: there is no room.
inline bool push_own(Thread& thread, Task& task) {
    TaskDeque* deque = thread.tasks.deque.load(std::memory_order_relaxed);
    if (GOSSAMER_UNLIKELY(deque == nullptr)) {
        deque = make_deque(thread);
        if (deque == nullptr) return false;
    }
    if (GOSSAMER_UNLIKELY(!deque->push(&task))) return false;
    announce_push(*thread.team, thread.task);
    deque->answer_thief();
    return true;
}

// The deque of `thread`, if few tasks lie in it and defer_quickly may push a task without clauses that the thread generates now
// in `parent`; else null. A quick deque implies that neither chaos nor cancellation is on (make_deque).
GOSSAMER_INLINE TaskDeque* quick_deque(const Thread& thread, const Task& parent) {
    TaskDeque* const deque = thread.tasks.deque.load(std::memory_order_relaxed);
    if (GOSSAMER_UNLIKELY(deque == nullptr || !deque->pushes_quickly(deque->bottom()))) return nullptr;
    if (GOSSAMER_UNLIKELY(thread.team->size == 1 || parent.icvs.final)) return nullptr;
    return deque;
}

// Whether a task that `thread` generates now is executed at once because no other thread could: in a team of one. Not at the
// end of a long chain of such tasks, which would grow the stack without end; but always by an initial thread, which comes to no
// barrier at which it would execute deferred tasks.
inline bool executes_at_once(const Thread& thread) {
    return thread.team->size == 1 && (may_nest(*thread.task) || thread.team->parent == nullptr);
}

// Whether a task that is executed at once needs nothing but its call.
inline bool nothing_watches_tasks() {
    return !fiber::mode_is_on(fiber::mode_chaos | fiber::mode_asked) && !known_globals().cancellation;
}

// What becomes of a task without clauses where quick_deque is null or new_task_quickly has no memory: defer_quickly may defer
// it; it is executed at once, uncounted; task_submit has to decide.
enum class Way { deferred, at_once, slow };
GOSSAMER_INLINE Way way_of(const Thread& thread, const Task& parent) {
    if (parent.icvs.final || executes_at_once(thread))
        return GOSSAMER_LIKELY(nothing_watches_tasks()) ? Way::at_once : Way::slow;
    TaskDeque* const deque = thread.tasks.deque.load(std::memory_order_relaxed);
    if (deque == nullptr || !deque->is_quick() || thread.team->size == 1) return Way::slow;
    deque->answer_thief();
    if (has_enough_queued(thread, *deque))
        return GOSSAMER_LIKELY(!fiber::mode_is_on(fiber::mode_asked)) ? Way::at_once : Way::slow;
    if (GOSSAMER_LIKELY(deque->has_room())) return Way::deferred;
    return known_globals().task_throttling && !fiber::mode_is_on(fiber::mode_asked) ? Way::at_once : Way::slow;
}

// The rest of defer_quickly where a thread may sleep, or a thief asks.
GOSSAMER_NOINLINE void follow_push(Team& team, Task& parent, TaskDeque& deque);

// Counts the task and pushes it into `deque`, which is the thread's, is quick and has room; announces the push.
GOSSAMER_INLINE void defer_quickly(Thread& thread, Task& parent, TaskDeque& deque, Task& task) {
    Team& team = *thread.team;
    count_task(parent, task);
    deque.push_quickly(deque.bottom(), &task);
    TaskFences::order();  // as in announce_push: where a deque is quick the light fence is a compiler's
    if (GOSSAMER_UNLIKELY(!team.tasks.word.after_push().only_active() || deque.is_asked())) follow_push(team, parent, deque);
}

// Ends the block of a task that `thread` has executed and that is counted.
inline void finish_block(Thread& thread, Task& task) {
    Task& parent = *task.parent.load(std::memory_order_relaxed);
    // relaxed: only a thread itself stores its own address. A family whose members have
    // all completed elsewhere takes the slow way too.
    if (GOSSAMER_UNLIKELY(!task.plain || parent.executor.load(std::memory_order_relaxed) != &thread || task.family.here != 0)) {
        return finish_block_slowly(thread, task);
    }
    --parent.children.here;
    --task.counted_in->here;
    free_deferred(thread, parent, task);
}

// The index of the thread's deque at or above which it pushes from now on; 0 without a deque.
inline std::int64_t own_bottom(const Thread& thread) {
    const TaskDeque* const deque = thread.tasks.deque.load(std::memory_order_relaxed);
    return deque != nullptr ? deque->bottom() : 0;
}

// Watches an initial thread's stack once its tasks are nested so deep that they may go on without end. Other threads' stacks
// are always watched.
inline void watch_nesting(std::uint32_t depth) {
    if (GOSSAMER_UNLIKELY(depth == deep_nesting)) fiber::watch_own_stack();
}

// The two ends of the block of a task that its generating thread executes within the construct, without entering dependences.
// No thread looks at the parent's tallies meanwhile, so the task is counted only if it outlives its block. The caller executes
// the block in between, by the kind's `run` or otherwise; task_end disposes of the task.
GOSSAMER_INLINE void task_begin(Thread& thread, Task& task) {
    task.floor = own_bottom(thread);
    task.executor.store(&thread, std::memory_order_relaxed);
    thread.task = &task;
    watch_nesting(task.depth.load(std::memory_order_relaxed));
}
GOSSAMER_INLINE void task_end(Thread& thread, Task& task) {
    thread.task = task.parent.load(std::memory_order_relaxed);
    if (GOSSAMER_UNLIKELY(!task.plain || task.family.here != 0)) return count_late(thread, task);
    free_descriptor(thread, task);
}

// Executes a task that is nothing but a call within its construct. If the task is over with its block the thread keeps the
// descriptor as it is, for the next such task differs from it only in what it takes from its parent. As many descriptors are
// kept as tasks were nested, up to most_kept: some 256 KiB. May suspend.
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

// Executes the block of `task`, or the next part of it, as the current task of `thread`, which has taken it. `bottom`:
// own_bottom. True: the block is over. May suspend.
inline bool run_part(Thread& thread, Task& task, std::int64_t bottom) {
    Task* const outer = thread.task;
    // Otherwise tasks that an untied task has pushed in an earlier part may still lie above its first floor.
    if (GOSSAMER_LIKELY(task.last_thread != &thread)) task.floor = bottom;
    task.executor.store(&thread, std::memory_order_relaxed);
    thread.task = &task;
    const bool over = task.kind->run(task);
    thread.task = outer;
    return over;
}

// execute_deferred for a task that `thread` has popped from index `bottom` of a
// quick deque while it waits in `outer`, its current task.
GOSSAMER_INLINE void execute_quickly(Thread& thread, Task& outer, Task& task, std::int64_t bottom) {
    if (GOSSAMER_UNLIKELY(task.last_thread != nullptr)) return execute_deferred(thread, task);  // a later part
    task.floor = bottom;
    task.executor.store(&thread, std::memory_order_relaxed);
    thread.task = &task;
    const bool over = task.kind->run(task);
    thread.task = &outer;
    if (GOSSAMER_UNLIKELY(!over)) return put_back(thread, task);
    // relaxed: the deque has published it. A plain task need not be a child of `outer`.
    if (GOSSAMER_UNLIKELY(!task.plain || task.parent.load(std::memory_order_relaxed) != &outer || task.family.here != 0)) {
        return finish_block(thread, task);
    }
    --outer.children.here;
    --task.counted_in->here;
    free_deferred(thread, outer, task);
}

// Executes tasks that `thread` has pushed at or above `floor` until none is left in `tally`, which belongs to `outer`, its
// current task. False: some are left, but not there, or an urgent task comes first. May suspend.
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
        fiber::scheduling_point();
    } while (tally.here != 0);
    return true;
}

}  // namespace gossamer::omp
