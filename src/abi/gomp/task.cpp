// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The task construct (OpenMP 5.2 §12.5).
#include "abi/gomp/task.hpp"

#include <cstddef>
#include <cstring>

using namespace gossamer;
using abi::Function;

namespace {

bool run_task(omp::Task& task) {
    auto& mine = static_cast<abi::GompTask&>(task);
    mine.function(mine.data);
    return true;
}

constexpr omp::TaskKind kind{run_task, nullptr, nullptr};

// A task whose arguments lie directly behind it, so that it needs no pointer to them.
bool run_quick_task(omp::Task& task) {
    auto& mine = static_cast<abi::GompTask&>(task);
    mine.function(&mine + 1);
    return true;
}

constexpr omp::TaskKind quick_kind{run_quick_task, nullptr, nullptr};
// The same with a copy function. A kind of its own, since such a task's kept descriptor says that it has started.
constexpr omp::TaskKind copied_kind{run_quick_task, nullptr, nullptr};
static_assert(sizeof(abi::GompTask) % alignof(std::max_align_t) == 0, "the arguments lie behind it");

template <class Word>
void copy_word(void* to, const void* from, size_t offset) {
    std::memcpy(static_cast<char*>(to) + offset, static_cast<const char*>(from) + offset, sizeof(Word));
}

// Less than a word.
inline void copy_little(void* to, const void* from, size_t size) {
    if (size >= 4) {
        copy_word<uint32_t>(to, from, 0);
        copy_word<uint32_t>(to, from, size - 4);
    } else {
        for (size_t offset = 0; offset < size; ++offset) copy_word<char>(to, from, offset);
    }
}

// As memcpy. By words, because the program has just stored words, which only loads
// of the same width can take from the store buffer.
inline void copy_words(void* to, const void* from, size_t size) {
    const auto move = [to, from](size_t offset) { copy_word<uint64_t>(to, from, offset); };
    if (size < 8) return copy_little(to, from, size);
    move(0);
    move(size - 8);
    if (size <= 16) return;
    move(8);
    move(size - 16);
    for (size_t offset = 16; offset + 16 < size; offset += 8) move(offset);
}
constexpr size_t few_bytes = 128;  // up to so many bytes this is faster than memcpy

// Copies the arguments by the program's function, which runs as part of the new task. May suspend.
inline void copy_by_program(omp::Thread& thread, abi::GompTask& task, abi::CopyArguments copy, void* to, const void* from) {
    omp::Task* const outer = thread.task;
    thread.task = &task;
    task.floor = omp::own_bottom(thread);  // this and the executor as while the task is executed
    task.executor.store(&thread, std::memory_order_relaxed);
    copy(to, const_cast<void*>(from));
    // From now on tasks that the function has generated are counted off in `elsewhere`: another thread may execute this task as
    // soon as it is pushed. The push publishes the store.
    task.executor.store(nullptr, std::memory_order_relaxed);
    thread.task = outer;
    task.started = true;  // only its block destroys what has been copied
    task.may_have_descendants = omp::may_have_descendants(task);
}

}  // namespace

abi::GompTask& abi::make_task(omp::Thread& thread, Function function, size_t size, size_t alignment, bool final, bool untied) {
    const size_t padding = alignment > alignof(GompTask) ? alignment : 0;
    GompTask& task = omp::new_task<GompTask>(thread, kind, size + padding);
    if (untied) task.untie();
    task.icvs.final |= final;
    task.function = function;
    task.data = align_up(static_cast<void*>(&task + 1), alignment);
    return task;
}

void abi::copy_arguments(omp::Thread& thread, GompTask& task, CopyArguments copy, const void* from, size_t size) {
    if (copy == nullptr) {
        if (size <= few_bytes) return copy_words(task.data, from, size);
        std::memcpy(task.data, from, size);
        return;
    }
    copy_by_program(thread, task, copy, task.data, from);
}

namespace {

// Executes the block now; the arguments stay where they are. May suspend.
GOSSAMER_INLINE void execute_at_once(omp::Thread& thread, omp::Task& parent, Function function, void* data, unsigned flags) {
    omp::call_task(thread, parent, (flags & abi::task_untied) != 0, (flags & abi::task_final) != 0, [=] { function(data); });
}

// Generates a task of any kind, for any caller.
GOSSAMER_NOINLINE void any_task(Function function, void* data, abi::CopyArguments copy, long size_passed, long alignment_passed,
                                bool if_clause, unsigned flags, void** depend, int priority, void* detach) {
    omp::Thread& thread = omp::current();
    const size_t alignment = alignment_passed > 0 ? static_cast<size_t>(alignment_passed) : 1;
    if (omp::tasks_cancelled(thread, thread.task->taskgroup)) return;

    const bool detachable = (flags & abi::task_detach) != 0;
    const bool final = (flags & abi::task_final) != 0;
    const bool depends_on = (flags & abi::task_depend) != 0;
    const bool now = !if_clause || thread.icvs().final || omp::executes_at_once(thread);
    const bool has_depends = depends_on && (!now || omp::dependences_matter(thread, detachable));
    const abi::GompDepends depends(has_depends, depend);
    // The arguments of a task that is executed within this call can stay where they are.
    if (GOSSAMER_LIKELY((now || omp::has_enough_queued(thread)) && copy == nullptr && !detachable &&
                        (!has_depends || omp::lets_begin(*thread.task, depends.all())))) {
        fiber::scheduling_point();
        return execute_at_once(thread, *thread.task, function, data, flags);
    }

    const auto size = static_cast<size_t>(size_passed);
    abi::GompTask& task = abi::make_task(thread, function, size, alignment, final, (flags & abi::task_untied) != 0);
    if ((flags & abi::task_priority) != 0) task.priority = omp::task_priority(priority);
    if (detachable) {
        task.make_detachable();
        omp::Task* const event = &task;
        *static_cast<void**>(detach) = event;
        if (data != nullptr) *static_cast<void**>(data) = event;  // the task's own copy of the handle comes first
    }
    abi::copy_arguments(thread, task, copy, data, size);
    omp::task_submit(thread, task, depends.all(), !if_clause);
}

}  // namespace

namespace {

constexpr unsigned plain_flags = abi::task_untied | abi::task_mergeable;  // flags that a plain task may have
constexpr long most_alignment = alignof(std::max_align_t);

// GOMP_task for an undeferred task that is otherwise plain.
GOSSAMER_NOINLINE void undeferred_task(Function function, void* data, unsigned flags) {
    omp::Thread* const known = omp::known_current();
    if (GOSSAMER_UNLIKELY(known == nullptr || !omp::nothing_watches_tasks())) {
        return any_task(function, data, nullptr, 0, 1, false, flags, nullptr, 0, nullptr);
    }
    execute_at_once(*known, *known->task, function, data, flags);
}

GOSSAMER_INLINE void defer(omp::Thread& thread, omp::Task& parent, omp::TaskDeque& deque, abi::GompTask& task,
                           Function function, const void* data, size_t bytes) {
    task.function = function;
    copy_words(&task + 1, data, bytes);
    omp::defer_quickly(thread, parent, deque, task);
}

// Generates a task that is plain but for a copy function. False: it may not be so, and nothing has been done.
GOSSAMER_INLINE bool copied_task(Function function, const void* data, abi::CopyArguments copy, size_t bytes, unsigned flags) {
    omp::Thread* const known = omp::known_current();
    if (GOSSAMER_UNLIKELY(known == nullptr)) return false;
    omp::Task& parent = *known->task;
    const omp::Way way = omp::way_of(*known, parent);
    if (GOSSAMER_UNLIKELY(way == omp::Way::slow)) return false;
    const bool small = bytes <= omp::quick_extra<abi::GompTask>;
    auto* made = GOSSAMER_LIKELY(small) ? omp::new_or_blank_task<abi::GompTask>(*known, parent, copied_kind, bytes) : nullptr;
    if (GOSSAMER_UNLIKELY(made == nullptr)) made = &omp::new_task<abi::GompTask>(*known, copied_kind, bytes);
    abi::GompTask& task = *made;
    if ((flags & abi::task_untied) != 0) task.untie();
    task.function = function;
    copy_by_program(*known, task, copy, &task + 1, data);
    if (way == omp::Way::at_once) {
        omp::execute_uncounted(*known, task);
    } else if (omp::TaskDeque& deque = *known->tasks.deque.load(std::memory_order_relaxed); GOSSAMER_LIKELY(deque.has_room())) {
        omp::defer_quickly(*known, parent, deque, task);
    } else {
        omp::task_submit(*known, task, {}, false);  // the copy function has pushed tasks of its own
    }
    return true;
}

// GOMP_task for every task that is not plain.
GOSSAMER_NOINLINE void other_task(Function function, void* data, abi::CopyArguments copy, long size, long alignment,
                                  bool if_clause, unsigned flags, void** depend, int priority, void* detach) {
    if (copy == nullptr && (flags & ~plain_flags) == abi::task_depend && if_clause) {
        omp::Thread* const known = omp::known_current();
        if (GOSSAMER_LIKELY(known != nullptr) && omp::call_is_enough(*known)) {
            return execute_at_once(*known, *known->task, function, data, flags);
        }
    }
    if (copy != nullptr && (flags & ~plain_flags) == 0 && if_clause && alignment <= most_alignment) {
        if (GOSSAMER_LIKELY(copied_task(function, data, copy, static_cast<size_t>(size), flags))) return;
    }
    any_task(function, data, copy, size, alignment, if_clause, flags, depend, priority, detach);
}

// GOMP_task for a plain task where quick_deque says no, or the thread's cache holds no block. GOMP_task itself holds the plain
// task's way; its only calls are tail calls.
GOSSAMER_NOINLINE void plain_task_slowly(Function function, void* data, long size, unsigned flags) {
    omp::Thread* const known = omp::known_current();
    if (GOSSAMER_LIKELY(known != nullptr)) {
        omp::Task& parent = *known->task;
        const omp::Way way = omp::way_of(*known, parent);
        if (way == omp::Way::at_once) return execute_at_once(*known, parent, function, data, flags);
        if (way == omp::Way::deferred) {
            const auto bytes = static_cast<size_t>(size);
            auto* task = omp::new_or_blank_task<abi::GompTask>(*known, parent, quick_kind, bytes);
            if (GOSSAMER_UNLIKELY(task == nullptr)) task = &omp::new_task<abi::GompTask>(*known, quick_kind, bytes);
            if ((flags & abi::task_untied) != 0) task->untie();
            return defer(*known, parent, *known->tasks.deque.load(std::memory_order_relaxed), *task, function, data, bytes);
        }
    }
    any_task(function, data, nullptr, size, alignof(std::max_align_t), true, flags, nullptr, 0, nullptr);
}

}  // namespace

// Arguments that the flags do not announce are not there: older compilers pass fewer.
GOSSAMER_EXPORT void GOMP_task(Function function, void* data, abi::CopyArguments copy, long size, long alignment,
                               bool if_clause, unsigned flags, void** depend, int priority, void* detach) {
    static_assert(few_bytes <= omp::quick_extra<abi::GompTask>);
    const auto bytes = static_cast<size_t>(size);
    if (GOSSAMER_UNLIKELY(copy != nullptr || (flags & ~plain_flags) != 0 || bytes > few_bytes || alignment > most_alignment)) {
        return other_task(function, data, copy, size, alignment, if_clause, flags, depend, priority, detach);
    }
    if (GOSSAMER_UNLIKELY(!if_clause)) return undeferred_task(function, data, flags);
    omp::Thread* const known = omp::near_current();
    if (GOSSAMER_UNLIKELY(known == nullptr)) return plain_task_slowly(function, data, size, flags);
    omp::Task& parent = *known->task;
    omp::TaskDeque* const deque = omp::quick_deque(*known, parent);
    if (GOSSAMER_UNLIKELY(deque == nullptr)) return plain_task_slowly(function, data, size, flags);
    // As new_or_blank_task, but for a kept descriptor that does not fit: to give that back is a call, which would need a frame.
    omp::Task* const blank = known->tasks.blank;
    abi::GompTask* task = nullptr;
    if (GOSSAMER_UNLIKELY(blank == nullptr)) {
        task = omp::new_task_quickly<abi::GompTask>(*known, parent, quick_kind, bytes);
    } else if (GOSSAMER_LIKELY(omp::fits<abi::GompTask>(*blank, quick_kind, bytes))) {
        omp::take_blank(*known, parent, *blank);
        task = static_cast<abi::GompTask*>(blank);
    }
    if (GOSSAMER_UNLIKELY(task == nullptr)) return plain_task_slowly(function, data, size, flags);
    if ((flags & abi::task_untied) != 0) task->untie();
    defer(*known, parent, *deque, *task, function, data, bytes);
}

// No device runs tasks of ours.
GOSSAMER_EXPORT void GOMP_PLUGIN_target_task_completion(void*) {}
