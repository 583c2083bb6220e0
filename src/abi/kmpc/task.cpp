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

enum Flag : int32_t { final = 2, destructors = 8, proxy = 16, priority = 32, detachable = 64 };

KmpcTask& own(omp::Task& task) {
    return static_cast<KmpcTask&>(task);
}

void destroy_privates(omp::Task& task) {
    KmpcTask& mine = own(task);
    if (!mine.has_destructors)
        return;
    TaskRecord& record = mine.record();
    record.destroy.destructors(abi::global_id(), &record);
}

// An untied task's routine returns at scheduling points, having asked for another call. True: it is over.
bool run_part(KmpcTask& task) {
    task.again = false;
    task.record().routine(abi::global_id(), &task.record());
    return !task.again;
}

bool run(omp::Task& task) {
    own(task).running = true;
    if (!run_part(own(task)))
        return false;
    destroy_privates(task);
    return true;
}

constexpr omp::TaskKind kind{run, destroy_privates, nullptr};

} // namespace

KmpcTask& abi::make_task(omp::Thread& thread, size_t record_size, size_t shareds_size, TaskRoutine routine) {
    const size_t shareds = align_up(record_size, alignof(void*));
    KmpcTask& task = omp::new_task<KmpcTask>(thread, shareds + shareds_size);
    omp::task_init(thread, task, kind, false);
    task.size = shareds + shareds_size;
    task.shareds = shareds_size != 0 ? shareds : 0;
    TaskRecord& record = task.record();
    record.shareds = shareds_size != 0 ? reinterpret_cast<char*>(&record) + shareds : nullptr;
    record.routine = routine;
    record.part = 0;
    return task;
}

KmpcTask& abi::copy_task(omp::Thread& thread, KmpcTask& pattern) {
    TaskRecord& from = pattern.record();
    KmpcTask& task = make_task(thread, pattern.shareds != 0 ? pattern.shareds : pattern.size,
                               pattern.shareds != 0 ? pattern.size - pattern.shareds : 0, from.routine);
    TaskRecord& record = task.record();
    void* const shareds = record.shareds;
    std::memcpy(static_cast<void*>(&record), &from, pattern.size);
    record.shareds = shareds;
    task.has_destructors = pattern.has_destructors;
    task.has_priority = pattern.has_priority;
    task.icvs.final |= pattern.icvs.final;
    return task;
}

void abi::submit_task(omp::Thread& thread, KmpcTask& task, omp::Dependences dependences, bool undeferred) {
    if (task.running) {
        task.again = true;
        return;
    }
    if (task.has_priority)
        task.priority = omp::task_priority(task.record().priority.priority);
    omp::task_submit(thread, task, dependences, undeferred);
}

GOSSAMER_EXPORT TaskRecord* __kmpc_omp_task_alloc(Ident*, int32_t, int32_t flags, size_t record_size,
                                                  size_t shareds_size, TaskRoutine routine) {
    KmpcTask& task = abi::make_task(omp::current(), record_size, shareds_size, routine);
    task.icvs.final |= (flags & final) != 0;
    task.has_destructors = (flags & destructors) != 0;
    task.has_priority = (flags & priority) != 0;
    // A proxy task is complete when somebody says so, like one with an event.
    task.detachable = (flags & (detachable | proxy)) != 0;
    return &task.record();
}

GOSSAMER_EXPORT TaskRecord* __kmpc_omp_target_task_alloc(Ident* where, int32_t gtid, int32_t flags,
                                                         size_t record_size, size_t shareds_size,
                                                         TaskRoutine routine, int64_t) {
    return __kmpc_omp_task_alloc(where, gtid, flags, record_size, shareds_size, routine);
}

// Affinity is a hint. 0: registered.
GOSSAMER_EXPORT int32_t __kmpc_omp_reg_task_with_affinity(Ident*, int32_t, TaskRecord*, int32_t, void*) {
    return 0;
}

// Always 0: the current task goes on behind the construct.
GOSSAMER_EXPORT int32_t __kmpc_omp_task(Ident*, int32_t, TaskRecord* record) {
    abi::submit_task(omp::current(), task_of(record), {});
    return 0;
}

GOSSAMER_EXPORT int32_t __kmpc_omp_task_parts(Ident*, int32_t, TaskRecord* record) {
    abi::submit_task(omp::current(), task_of(record), {});
    return 0;
}

// An undeferred task, whose block the program calls between the two.
GOSSAMER_EXPORT void __kmpc_omp_task_begin_if0(Ident*, int32_t, TaskRecord* record) {
    KmpcTask& task = task_of(record);
    task.running = true;
    omp::task_begin(omp::current(), task);
}

GOSSAMER_EXPORT void __kmpc_omp_task_complete_if0(Ident*, int32_t, TaskRecord* record) {
    KmpcTask& task = task_of(record);
    while (task.again)
        run_part(task);
    destroy_privates(task);
    omp::task_end(omp::current(), task);
}
