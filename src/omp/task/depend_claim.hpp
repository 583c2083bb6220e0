// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What depend.cpp and depend_claim.cpp share. All under the table's lock.
#pragma once

#include "omp/task/depend.hpp"
#include "omp/task/depend_line.hpp"

namespace gossamer::omp {

// Tasks linked by Task::next, in the order in which they were appended.
struct TaskList {
    Task* first = nullptr;
    Task* last = nullptr;

    void append(Task& task) {
        task.next = nullptr;
        (first == nullptr ? first : last->next) = &task;
        last = &task;
    }
};

// Whether the entry's task has to claim the entry's address before it runs.
inline bool needs_claim(const DependEntry& entry) {
    return entry.rank != nullptr && entry.rank->kind == DependKind::mutexinoutset;
}

// Whether any of the task's entries does. The answer is the same from the end of `add` until `remove`.
bool needs_claims(const Task& task);

}  // namespace gossamer::omp
