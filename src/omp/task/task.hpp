// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A task and its data environment (OpenMP 5.2 §12).
//
// An explicit task runs as a plain call where it is generated, and mostly is complete behind that call;
// nobody else ever hears of it. Two kinds of task outlive their generation: one whose predecessors are
// incomplete (`deferred`), and one whose event has not been fulfilled (`detached`). Such a late task is on
// its parent's list and counted by its parent, its taskgroup and the thread that generated it, until it
// completes (late.hpp).
#pragma once

#include <atomic>
#include <cstdint>

#include "base/base.hpp"
#include "omp/icv/icv.hpp"

namespace gossamer::omp {

class DependTable;
struct DependEntry;
struct Successor;
struct Taskgroup;
struct ThreadTasks;
struct Thread;
struct Task;

// What a task is made of, behind the ABI that made it.
struct TaskKind {
    void (*run)(Task& task);     // its structured block, on the thread that executes it
    void (*discard)(Task& task); // instead of run when it is cancelled; null: nothing to do
    void (*dispose)(Task& task); // frees it and what it owns; any thread
};

struct Task {
    Icvs icvs;
    Task* parent = nullptr;         // null: an implicit task, or a late one whose parent has ended
    Taskgroup* taskgroup = nullptr; // the innermost taskgroup region around what it executes now
    bool is_explicit = false;
    bool detachable = false;

    // Of its late children. Under ThreadTasks::lock of the thread that executes it, but for looks at the
    // count.
    std::atomic<std::uint32_t> late_children{0};
    Task* children = nullptr;       // the list, linked by `sibling`
    DependTable* depends = nullptr; // what their depend clauses say; null: none of them has any

    // Of itself. Set by whoever generates it; the rest only if it is late, under ThreadTasks::lock of `home`.
    const TaskKind* kind = nullptr;
    ThreadTasks* home = nullptr; // of the thread that generated it
    Taskgroup* generated_in = nullptr;
    ListLink<Task> sibling;
    Task* next_ready = nullptr;
    DependEntry* entries = nullptr; // its own depend clauses in the parent's table; an array
    std::uint32_t entry_count = 0;
    std::uint32_t predecessors = 0;  // late tasks that have to complete before it may run
    Successor* successors = nullptr; // those that wait for this one
    bool late = false;
    bool block_done = false; // detachable: its structured block is over
    bool fulfilled = false;  // detachable: its event is fulfilled
};

} // namespace gossamer::omp
