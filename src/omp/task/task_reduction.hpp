// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Task reductions (OpenMP 5.2 §5.5.6-5.5.10): tasks that take part in a reduction add to a copy that belongs to the thread that
// executes them, and the copies are combined at the end of the taskgroup or the region. The two ABIs divide the work between
// program and library in different ways.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "omp/task/taskgroup.hpp"
#include "omp/task/thread_tasks.hpp"

namespace gossamer::omp {

// --- gcc: the program describes the copies in an array, initialises and combines them itself; the library allocates them.
//
//   [0]       number of variables
//   [1]       bytes of one thread's copies
//   [2]       alignment; once registered, the copies' address
//   [3]       allocator, -1: none
//   [4]       next array of the registration; in its last array, the arrays that were registered around it
//   [5]       the library's: not 0 in the first array of a registration
//   [6]       the library's: end of the copies
//   [7 + 3i]  variable's address, offset of its copy, the library's

// Allocates the copies that the arrays from `mine` on describe, for a team of `size`, and registers them with `group`. Ends the
// program when memory is out.
void gnu_reduction_register(Taskgroup& group, std::uintptr_t* mine, std::uint32_t size);

// Begins a taskgroup of a worksharing construct's own (loop, sections, scope), which workshare_reduction_end ends, and
// registers the copies with it. `first`: the array of the thread that has registered first; null for that thread itself, which
// allocates the copies, and has to return before another thread calls. Never suspends.
void workshare_reduction_begin(Thread& thread, std::uintptr_t* mine, const std::uintptr_t* first);

// Replaces each of `addresses[0 … count-1]`, which is a variable or some thread's copy of it, by the current thread's copy; for
// the first `originals` of them, addresses[count + i] becomes the variable. Ends the program if one of them is not registered.
void gnu_reduction_remap(Thread& thread, std::size_t count, std::size_t originals, void** addresses);

// Frees the copies that the array describes.
void gnu_reduction_unregister(std::uintptr_t* data);

// Waits for the construct's tasks; `cancelled` false: ends with a barrier. May suspend.
void workshare_reduction_end(Thread& thread, bool cancelled);

// --- clang: the program gives functions, the library does the rest.

struct ReductionItem {
    void* variable = nullptr;  // where the result goes
    void* original = nullptr;  // second argument of `init`; null: init takes one
    std::size_t size = 0;
    std::size_t offset = 0;              // of its copy in a thread's block
    void* init = nullptr;                // null: zero bytes do
    void (*fini)(void* copy) = nullptr;  // may be null
    void (*combine)(void* into, void* from) = nullptr;
};

// The copies of a team's threads: blocks of one layout, each allocated by the thread that uses it first.
struct ReductionCopies {
    std::uint32_t size = 0;              // threads
    std::size_t block = 0;               // bytes
    std::atomic<std::uint32_t> left{0};  // threads that are through, where all threads of a region share them
    std::atomic<void*> blocks[];         // by thread number; each written by its thread alone
};

struct TaskReductions {
    ReductionCopies* copies = nullptr;
    std::atomic<ReductionCopies*>* shared = nullptr;  // where they are found, if all threads of a region share them
    std::uint32_t count = 0;
    ReductionItem items[];
};

// Memory for a description of `count` items. The caller fills in all fields but `offset` and passes it to one of the next two.
// Ends the program when memory is out.
TaskReductions& task_reductions(std::uint32_t count);

// Gives the reductions to the innermost taskgroup of the current task.
void reduction_begin_taskgroup(Thread& thread, TaskReductions& reductions);

// Begins a taskgroup of the calling thread's own, with copies that all threads of the region share. `worksharing`: for a
// worksharing construct; otherwise for the parallel region.
void reduction_begin_region(Thread& thread, TaskReductions& reductions, bool worksharing);

// The current thread's copy of the variable that `address` is, or is some thread's copy of. The current task's groups
// are searched, then `group` (may be null) and those around it. Ends the program if none of them has the variable.
void* reduction_copy(Thread& thread, Taskgroup* group, void* address);

// Combines the copies at the end of a taskgroup whose tasks are gone.
void reduction_end_taskgroup(Taskgroup& group);

// Frees copies that a cancelled region has left behind.
void forget_reductions(TeamTasks& tasks);

}  // namespace gossamer::omp
