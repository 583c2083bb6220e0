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
    Task* owner = nullptr;  // the task that met the construct; null: all implicit tasks of a region are in it
    Tally family;           // the owner's children in it that are not gone yet, and so their descendants
    std::atomic<std::uint32_t> cancelled{0};
    bool workshare = false;                    // made by a worksharing construct's task reductions, not by the user
    std::uintptr_t* gnu_reductions = nullptr;  // what gcc's programs have registered, outer groups' included
    TaskReductions* reductions = nullptr;      // what clang's have, for this group alone
};

// Never suspends. Ends the program when memory is out.
Taskgroup& taskgroup_begin(Thread& thread);

// Waits, ends the innermost taskgroup of the current task, and combines what its task reductions have
// gathered. May suspend. Does nothing outside of any.
void taskgroup_end(Thread& thread);

// The taskgroup that a cancel construct in `group` means.
inline Taskgroup* cancellable_group(Taskgroup* group) {
    return group != nullptr && group->workshare && group->outer != nullptr ? group->outer : group;
}

}  // namespace gossamer::omp
