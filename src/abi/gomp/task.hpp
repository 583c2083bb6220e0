// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tasks as gcc and gfortran make them: an outlined function and a block of arguments, which a function of the program copies
// where memcpy would be wrong.
#pragma once

#include <cstddef>

#include "abi/depend_list.hpp"
#include "abi/gomp/gomp.hpp"

namespace gossamer::abi {

using CopyArguments = void (*)(void* to, void* from);

enum TaskFlag : unsigned {
    task_untied = 1U << 0,
    task_final = 1U << 1,
    task_mergeable = 1U << 2,
    task_depend = 1U << 3,
    task_priority = 1U << 4,
    task_up = 1U << 8,
    task_grainsize = 1U << 9,
    task_if = 1U << 10,
    task_nogroup = 1U << 11,
    task_reduction = 1U << 12,
    task_detach = 1U << 13,
    task_strict = 1U << 14,
};

// A task; a copy of its arguments lies behind it.
struct alignas(std::max_align_t) GompTask : omp::Task {
    using omp::Task::Task;
    Function function;
    void* data;
};

// A child of the current task with room for a copy of its arguments. Ends the program when memory is out.
GompTask& make_task(omp::Thread& thread, Function function, size_t size, size_t alignment, bool final, bool untied);

// Copies the arguments. `copy`, if not null, is the program's copy function; it runs as part of the new task, and may suspend.
void copy_arguments(omp::Thread& thread, GompTask& task, CopyArguments copy, const void* from, size_t size);

// The items of a depend clause, decoded from gcc's array; empty if `needed` is false.
class GompDepends {
public:
    GompDepends(bool needed, void** depend);
    omp::Dependences all() const { return list_.all(); }
    void put_sets_in_order() { list_.put_sets_in_order(); }

private:
    DependList list_;
};

}  // namespace gossamer::abi
