// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tasks as clang, flang and Intel's compilers lay them out. The program sees a record that begins with the
// fields below and goes on with the task's private variables; in front of it lies our descriptor, behind it
// the pointers to shared variables.
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
    int32_t part;          // untied: where the routine goes on
    CompilerData destroy;  // if the flag says so
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
    uint8_t marks = 0;  // of TaskMark
    // Made by blank_task or new_task_quickly: what that takes from the list of blank tasks may go back there.
    bool quick = false;
    uint32_t size = 0;     // of the record and the shared pointers
    uint32_t shareds = 0;  // where the latter begin in the record; 0: none

    TaskRecord& record() { return *reinterpret_cast<TaskRecord*>(this + 1); }
};
static_assert(sizeof(KmpcTask) == 3 * cache_line, "a task with a few private variables fits into four lines");

inline KmpcTask& task_of(TaskRecord* record) { return *(reinterpret_cast<KmpcTask*>(record) - 1); }

// Calls the task's routine, which of an untied one is its next part.
inline void call_routine(KmpcTask& task) { task.record().routine(global_id(), &task.record()); }

// The routine of a task with marks has returned: that of an untied one does so at scheduling points, having asked for another
// call. True: it is over.
bool part_ends(KmpcTask& task);

// The task's block, or its next part. True: it is over.
inline bool run_task(KmpcTask& task) {
    call_routine(task);
    return GOSSAMER_LIKELY(task.marks == 0) || part_ends(task);
}

// Such a task has been executed within its construct.
GOSSAMER_INLINE void end_here(omp::Thread& thread, KmpcTask& task) {
    GOSSAMER_LIKELY(task.quick) ? omp::task_end_kept_blank(thread, task) : omp::task_end(thread, task);
}

// A task without clauses, but for dependences that nobody has to look at: executes it as an uncounted one. May suspend.
GOSSAMER_INLINE void execute_here(omp::Thread& thread, KmpcTask& task) {
    omp::task_begin(thread, task);
    if (GOSSAMER_UNLIKELY(!run_task(task))) return omp::go_on_uncounted(thread, task);
    end_here(thread, task);
}

// A child of the current task with a record of `record_size` bytes, of which the fields that the library owns
// are set.
KmpcTask& make_task(omp::Thread& thread, size_t record_size, size_t shareds_size, TaskRoutine routine);

// A sibling of `pattern` with a copy of its record.
KmpcTask& copy_task(omp::Thread& thread, KmpcTask& pattern);

// Generates the task; if it is the calling one itself, an untied one, that goes on when its routine has
// returned.
void submit_task(omp::Thread& thread, KmpcTask& task, omp::Dependences dependences, bool undeferred = false);

// An item of a depend clause.
struct DependInfo {
    intptr_t address;
    size_t length;
    uint8_t flags;
};
static_assert(sizeof(DependInfo) == 24);

// The construct's two lists together; empty where nobody would look at them.
class KmpcDepends {
public:
    KmpcDepends(bool needed, int32_t count, const DependInfo* list, int32_t noalias_count, const DependInfo* noalias);
    omp::Dependences all() const { return list_.all(); }

private:
    DependList list_;
};

}  // namespace gossamer::abi
