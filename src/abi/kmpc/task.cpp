// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The task construct (OpenMP 5.2 §12.5).
#include "abi/kmpc/task.hpp"

#include <cstring>

using namespace gossamer;
using abi::Ident;
using abi::KmpcTask;
using abi::task_of;
using abi::TaskRecord;
using abi::TaskRoutine;

namespace {

enum Flag : int32_t { tied = 1, final = 2, destructors = 8, proxy = 16, priority = 32, detachable = 64 };

KmpcTask& own(omp::Task& task) { return static_cast<KmpcTask&>(task); }

void destroy_privates(omp::Task& task) {
    if ((own(task).marks & abi::has_destructors) == 0) return;
    TaskRecord& record = own(task).record();
    record.destroy.destructors(abi::global_id(), &record);
}

bool run(omp::Task& task) { return abi::run_task(own(task)); }

constexpr omp::TaskKind kind{run, destroy_privates, nullptr};

// Some compilers make a task without a routine of taskwait with depend and nowait.
int32_t nothing(int32_t, void*) { return 0; }

// Where the pointers to shared variables lie in a record, and how large it is with them, in bytes.
size_t shareds_at(size_t record_size) { return align_up(record_size, alignof(void*)); }
size_t whole_size(size_t record_size, size_t shareds_size) { return shareds_at(record_size) + shareds_size; }

// Writes the fields of the record that the library owns.
GOSSAMER_INLINE void fill(KmpcTask& task, size_t record_size, size_t shareds_size, TaskRoutine routine) {
    task.record_size = static_cast<uint32_t>(record_size);
    task.shareds_size = static_cast<uint32_t>(shareds_size);
    TaskRecord& record = task.record();
    record.shareds = shareds_size != 0 ? reinterpret_cast<char*>(&record) + shareds_at(record_size) : nullptr;
    record.routine = routine;
    record.part = 0;
}

}  // namespace

GOSSAMER_NOINLINE bool abi::part_ends(KmpcTask& task) {
    if ((task.marks & again) == 0) {
        destroy_privates(task);
        return true;
    }
    task.marks &= ~again;
    return false;
}

KmpcTask& abi::make_task(omp::Thread& thread, size_t record_size, size_t shareds_size, TaskRoutine routine) {
    const size_t size = whole_size(record_size, shareds_size);
    if (GOSSAMER_UNLIKELY(size > UINT32_MAX)) fatal("a task with %zu bytes of private variables is too large", size);
    KmpcTask& task = omp::new_task<KmpcTask>(thread, kind, size);
    fill(task, record_size, shareds_size, GOSSAMER_LIKELY(routine != nullptr) ? routine : nothing);
    return task;
}

KmpcTask& abi::copy_task(omp::Thread& thread, KmpcTask& pattern) {
    TaskRecord& from = pattern.record();
    KmpcTask& task = make_task(thread, pattern.record_size, pattern.shareds_size, from.routine);
    TaskRecord& record = task.record();
    void* const shareds = record.shareds;
    std::memcpy(static_cast<void*>(&record), &from, whole_size(pattern.record_size, pattern.shareds_size));
    record.shareds = shareds;
    task.marks = pattern.marks;
    if (pattern.scope.load(std::memory_order_relaxed) != nullptr) task.untie();
    task.icvs.final |= pattern.icvs.final;
    return task;
}

void abi::submit_task(omp::Thread& thread, KmpcTask& task, omp::Dependences dependences, bool undeferred) {
    if (GOSSAMER_UNLIKELY(thread.task == &task)) {
        task.marks |= again;
        return;
    }
    if (GOSSAMER_UNLIKELY((task.marks & has_priority) != 0))
        task.priority = omp::task_priority(task.record().priority.priority);
    omp::task_submit(thread, task, dependences, undeferred);
}

namespace {

// Allocates a task of any kind, for any caller.
GOSSAMER_NOINLINE TaskRecord* alloc_any(int32_t flags, size_t record_size, size_t shareds_size, TaskRoutine routine) {
    KmpcTask& task = abi::make_task(omp::current(), record_size, shareds_size, routine);
    if ((flags & tied) == 0) task.untie();
    task.icvs.final |= (flags & final) != 0;
    task.marks = static_cast<uint8_t>(((flags & destructors) != 0 ? abi::has_destructors : 0) |
                                      ((flags & priority) != 0 ? abi::has_priority : 0));
    // A proxy task is complete when a call says so, like a task with an event.
    if (GOSSAMER_UNLIKELY((flags & (detachable | proxy)) != 0)) task.make_detachable();
    return &task.record();
}

constexpr int32_t special = final | destructors | proxy | priority | detachable;

// Allocates a task where the thread, which may be null, keeps no descriptor that fits.
GOSSAMER_NOINLINE TaskRecord* alloc_slowly(omp::Thread* known, int32_t flags, size_t record_size, size_t shareds_size,
                                           TaskRoutine routine) {
    constexpr size_t small = omp::quick_extra<KmpcTask> / 2;
    if (GOSSAMER_LIKELY(known != nullptr && (flags & special) == 0 && record_size <= small && shareds_size <= small &&
                        routine != nullptr)) {
        auto* const task = omp::new_or_blank_task<KmpcTask>(*known, *known->task, kind, whole_size(record_size, shareds_size));
        if (GOSSAMER_LIKELY(task != nullptr)) {
            fill(*task, record_size, shareds_size, routine);
            if ((flags & tied) == 0) task->untie();
            return &task->record();
        }
    }
    return alloc_any(flags, record_size, shareds_size, routine);
}

}  // namespace

// The descriptor of a plain task mostly is one that the thread has kept; its record's pointer to the shared pointers holds too.
GOSSAMER_EXPORT TaskRecord* __kmpc_omp_task_alloc(Ident*, int32_t, int32_t flags, size_t record_size, size_t shareds_size,
                                                  TaskRoutine routine) {
    omp::Thread* const known = omp::near_current();
    if (GOSSAMER_UNLIKELY(known == nullptr || (flags & (special | tied)) != tied || routine == nullptr)) {
        return alloc_slowly(known, flags, record_size, shareds_size, routine);
    }
    omp::Task* const blank = known->tasks.blank;
    if (GOSSAMER_UNLIKELY(blank == nullptr || blank->kind != &kind || own(*blank).record_size != record_size ||
                          own(*blank).shareds_size != shareds_size)) {
        return alloc_slowly(known, flags, record_size, shareds_size, routine);
    }
    omp::take_blank(*known, *known->task, *blank);
    TaskRecord& record = own(*blank).record();
    record.routine = routine;
    record.part = 0;
    return &record;
}

GOSSAMER_EXPORT TaskRecord* __kmpc_omp_target_task_alloc(Ident* where, int32_t gtid, int32_t flags, size_t record_size,
                                                         size_t shareds_size, TaskRoutine routine, int64_t) {
    return __kmpc_omp_task_alloc(where, gtid, flags, record_size, shareds_size, routine);
}

namespace {

GOSSAMER_NOINLINE int32_t submit_any(KmpcTask& task) {
    abi::submit_task(omp::current(), task, {});
    return 0;
}

GOSSAMER_NOINLINE int32_t execute_at_once(omp::Thread& thread, KmpcTask& task) {
    abi::execute_here(thread, task);
    return 0;
}

// Submits a plain task where quick_deque says no.
GOSSAMER_NOINLINE int32_t submit_slowly(omp::Thread& thread, omp::Task& parent, KmpcTask& task) {
    switch (omp::way_of(thread, parent)) {
        case omp::Way::at_once: return execute_at_once(thread, task);
        case omp::Way::deferred:
            omp::defer_quickly(thread, parent, *thread.tasks.deque.load(std::memory_order_relaxed), task);
            return 0;
        case omp::Way::slow: break;
    }
    return submit_any(task);
}

inline int32_t submit(KmpcTask& task) {
    omp::Thread* const known = omp::near_current();
    // A task that is reusable has neither marks nor anything else that is not plain; unless it is untied, and submits itself.
    if (GOSSAMER_UNLIKELY(known == nullptr || known->task == &task || !task.reusable)) return submit_any(task);
    omp::Task& parent = *known->task;
    omp::TaskDeque* const deque = omp::quick_deque(*known, parent);
    if (GOSSAMER_UNLIKELY(deque == nullptr)) return submit_slowly(*known, parent, task);
    omp::defer_quickly(*known, parent, *deque, task);
    return 0;
}

}  // namespace

// Affinity is a hint. Returns 0: registered.
GOSSAMER_EXPORT int32_t __kmpc_omp_reg_task_with_affinity(Ident*, int32_t, TaskRecord*, int32_t, void*) { return 0; }

// Returns 0: the current task goes on behind the construct.
GOSSAMER_EXPORT int32_t __kmpc_omp_task(Ident*, int32_t, TaskRecord* record) { return submit(task_of(record)); }

GOSSAMER_EXPORT int32_t __kmpc_omp_task_parts(Ident*, int32_t, TaskRecord* record) { return submit(task_of(record)); }

namespace {

GOSSAMER_NOINLINE void begin_in_chaos(KmpcTask& task) {
    fiber::chaos_step();
    omp::task_begin(omp::current(), task);
}

GOSSAMER_NOINLINE void end_with_marks(KmpcTask& task) {
    while (!abi::part_ends(task)) abi::call_routine(task);
    omp::task_end(omp::current(), task);
}

}  // namespace

// The two ends of an undeferred task, whose block the program calls in between. The thread is known since
// __kmpc_omp_task_alloc.
GOSSAMER_EXPORT void __kmpc_omp_task_begin_if0(Ident*, int32_t, TaskRecord* record) {
    if (fiber::mode_is_on(fiber::mode_chaos)) return begin_in_chaos(task_of(record));
    omp::task_begin(*omp::known_current(), task_of(record));
}

GOSSAMER_EXPORT void __kmpc_omp_task_complete_if0(Ident*, int32_t, TaskRecord* record) {
    KmpcTask& task = task_of(record);
    if (GOSSAMER_UNLIKELY(task.marks != 0)) return end_with_marks(task);
    omp::task_end(*task.executor.load(std::memory_order_relaxed), task);  // relaxed: the caller is the executor
}
