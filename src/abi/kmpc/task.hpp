// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tasks as clang, flang and Intel's compilers lay them out. The program sees a record that begins with the fields of TaskRecord
// and goes on with the task's private variables; our descriptor lies before it, the pointers to shared variables lie behind it.
#pragma once

#include "abi/depend_list.hpp"
#include "abi/kmpc/kmpc.hpp"

namespace gossamer::abi {

using TaskRoutine = int32_t (*)(int32_t gtid, void* record);

union CompilerData {
    int32_t priority;
    TaskRoutine destructors;
};

struct TaskRecord {
    void* shareds;
    TaskRoutine routine;
    int32_t part;          // untied: the part at which the routine goes on
    CompilerData destroy;  // destructors, if a flag says so
    CompilerData priority;
};

enum TaskMark : uint8_t {
    has_destructors = 1,
    has_priority = 2,
    again = 4,  // untied: the routine has asked to be called once more
};

// The alignment is what a private variable may ask for at most.
struct alignas(cache_line) KmpcTask : omp::Task {
    using omp::Task::Task;
    uint8_t marks = 0;          // of TaskMark
    uint32_t record_size = 0;   // bytes, as the program has asked for
    uint32_t shareds_size = 0;  // bytes of the shared pointers behind it

    TaskRecord& record() { return *reinterpret_cast<TaskRecord*>(this + 1); }
};
static_assert(sizeof(KmpcTask) == 3 * cache_line, "a task with a few private variables fits into four lines");

inline KmpcTask& task_of(TaskRecord* record) { return *(reinterpret_cast<KmpcTask*>(record) - 1); }

// Calls the task's routine, which executes the block or an untied task's next part. May suspend.
inline void call_routine(KmpcTask& task) { task.record().routine(global_id(), &task.record()); }

// For a task with marks, whose routine has returned: an untied task's routine returns at task scheduling points, after it has
// asked for another call. True: the block is over.
bool part_ends(KmpcTask& task);

// Executes the task's block, or its next part. True: the block is over. May suspend.
inline bool run_task(KmpcTask& task) {
    call_routine(task);
    return GOSSAMER_LIKELY(task.marks == 0) || part_ends(task);
}

// Executes a task without clauses, or with dependences that have no effect, within its construct, uncounted. May suspend.
GOSSAMER_INLINE void execute_here(omp::Thread& thread, KmpcTask& task) {
    omp::task_begin(thread, task);
    if (GOSSAMER_UNLIKELY(!run_task(task))) return omp::go_on_uncounted(thread, task);
    omp::task_end(thread, task);
}

// A child of the current task with a record of `record_size` bytes and room for `shareds_size` bytes of shared pointers. The
// record's fields that the library owns are set. Ends the program when memory is out.
KmpcTask& make_task(omp::Thread& thread, size_t record_size, size_t shareds_size, TaskRoutine routine);

// A child of the current task with a copy of the record of `pattern`.
KmpcTask& copy_task(omp::Thread& thread, KmpcTask& pattern);

// Generates the task. If it is the current task itself, which is untied, its
// routine will be called again once it has returned. May suspend.
void submit_task(omp::Thread& thread, KmpcTask& task, omp::Dependences dependences, bool undeferred = false);

// An item of a depend clause.
struct DependInfo {
    intptr_t address;
    size_t length;
    uint8_t flags;
};
static_assert(sizeof(DependInfo) == 24);

// A construct's two lists of depend items, decoded; empty if `needed` is false.
class KmpcDepends {
public:
    KmpcDepends(bool needed, int32_t count, const DependInfo* list, int32_t noalias_count, const DependInfo* noalias);
    omp::Dependences all() const { return list_.all(); }
    void put_sets_in_order() { list_.put_sets_in_order(); }

private:
    DependList list_;
};

}  // namespace gossamer::abi
