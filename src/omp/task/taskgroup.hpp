// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The taskgroup construct (OpenMP 5.2 §15.4): waits for the tasks generated in it and their descendants.
#pragma once

#include <atomic>
#include <cstdint>

#include "omp/task/task.hpp"

namespace gossamer::omp {

struct TaskReductions;

struct Taskgroup {
    Taskgroup* outer = nullptr;
    Task* owner = nullptr;  // the task that met the construct; null: the group holds all implicit tasks of a region
    Tally family;           // the owner's children in the group, until they and their descendants are gone
    std::atomic<std::uint32_t> cancelled{0};
    bool workshare = false;                    // made by a worksharing construct's task reductions, not by the program
    std::uintptr_t* gnu_reductions = nullptr;  // arrays that a gcc program has registered here and in outer groups
    TaskReductions* reductions = nullptr;      // what a clang program has registered for this group
};

// Begins a taskgroup in the current task. Ends the program when memory is out. Suspends in chaos mode only.
Taskgroup& taskgroup_begin(Thread& thread);

// Waits for the tasks of the current task's innermost taskgroup, ends it, and combines its task reductions. Does nothing where
// there is none. May suspend.
void taskgroup_end(Thread& thread);

// The taskgroup that a cancel construct in `group` cancels: not one that a worksharing construct has made.
inline Taskgroup* cancellable_group(Taskgroup* group) {
    return group != nullptr && group->workshare && group->outer != nullptr ? group->outer : group;
}

}  // namespace gossamer::omp
