// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A task and its data environment (OpenMP 5.2 §12). Its states, and which thread may touch which field:
// docs/protocols/tasks.md.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/base.hpp"
#include "omp/icv/icv.hpp"

namespace gossamer::omp {

class DependTable;
struct DependEntry;
struct Taskgroup;
struct Team;
struct Thread;
struct Task;

// How the ABI that made a task executes and frees it.
struct TaskKind {
    // Executes the structured block, or the next part of it, on the calling thread. False: an untied task wants to be called
    // once more. May suspend.
    bool (*run)(Task& task);
    void (*discard)(Task& task);  // called instead of run if the task is cancelled; null: nothing to do
    void (*dispose)(Task& task);  // frees the task, by any thread. Null: its memory is a block of BlockCache
};

// Counts a task's children that the task may have to wait for, until they are complete, or gone. Children that end on the
// thread that executes the task are counted without atomics.
struct Tally {
    // Children generated, less those that ended on the thread that executes the task. That thread's own.
    std::int64_t here = 0;
    // Two for each child that ended elsewhere. While the task's thread sleeps until none is left: minus 2 * here, plus its
    // number plus one in units of `waiter_unit`. Once the task has ended: minus 2 * here, plus one. So the thread that counts
    // off the last child finds nothing left but the sleeper's number, or the one.
    std::atomic<std::int64_t> elsewhere{0};

    static constexpr std::int64_t waiter_unit = std::int64_t{1} << 40;

    // For the thread that executes the task. acquire pairs with count_off, by which each child was counted.
    bool none_left() const { return GOSSAMER_LIKELY(here == 0) || 2 * here == elsewhere.load(std::memory_order_acquire); }

    // The same; if none is left both counts become zero.
    bool settle() {
        if (here == 0) return true;
        if (2 * here != elsewhere.load(std::memory_order_acquire)) return false;
        here = 0;
        elsewhere.store(0, std::memory_order_relaxed);  // no child is left to count off
        return true;
    }
};

// An atomic variable in recycled memory, which a thief may read by a stale pointer even while a new task is constructed there:
// so the first value is stored atomically, like any other.
template <class T>
class RecycledAtomic {
public:
    explicit RecycledAtomic(T value) { store(value, std::memory_order_relaxed); }
    T load(std::memory_order order) const { return std::atomic_ref<T>(value_).load(order); }
    void store(T value, std::memory_order order) { std::atomic_ref<T>(value_).store(value, order); }

private:
    mutable T value_;
};

enum TaskState : std::uint8_t { block_over = 1, event_fulfilled = 2, discarded_early = 4 };

struct Task {
    Task() : floor(0) {}  // an implicit task
    // A child of `from`, the task that the calling thread executes, with its data environment (§2.4, §12.5).
    inline Task(Task& from, Team* its_team, const TaskKind& its_kind);
    // Makes a kept descriptor, whose last task changed only what this, `counted_in` and `executor` set, a child of `from`.
    inline void take_over(Task& from, std::uint32_t its_depth);

    Icvs icvs;
    Taskgroup* taskgroup = nullptr;  // the innermost around what the task executes now; before, the one it was generated in
    Tally children;                  // until they are complete: taskwait waits for these
    Tally family;                    // children outside of the task's taskgroups, until they and their families are gone
    // An implicit task without explicit ones touches nothing behind this.
    RecycledAtomic<Task*> parent{nullptr};  // null: an implicit task. Thieves read it, even when the task is gone
    Tally* counted_in = nullptr;            // counts this task until it is gone: its parent's `family`, or a taskgroup's
    const TaskKind* kind = nullptr;
    Team* team = nullptr;
    std::atomic<Thread*> executor{nullptr};  // the thread that executes it now; that thread itself sets and clears it
    union {
        std::int64_t floor;  // since it began: the index in its thread's deque above which all descends from it
        Task* next;          // before: in a list of ready tasks
    };
    DependTable* depends = nullptr;          // its children's dependences; null: no child has any
    DependEntry* entries = nullptr;          // its own, in the parent's table
    Thread* last_thread = nullptr;           // untied: the thread that executed its last part; `awaited`: the one that waits
    RecycledAtomic<Task*> scope{nullptr};    // untied: the nearest tied ancestor; null: it is tied. Read as `parent` is
    RecycledAtomic<std::uint32_t> depth{0};  // number of ancestors; read as `parent` is
    std::uint32_t entry_count;               // set with `entries`, as the next
    union {
        std::uint32_t predecessors;  // entries whose rank's turn has not come; under the table's lock
        std::uint32_t parts;         // untied, when none is left: how many parts have ended
    };
    bool plain = true;            // no entries, depends, event or dispose, and a block of a fine class: the
                                  // task is complete when its block is over
    bool started = false;         // must not be discarded: a part has run, or its block has to destroy copies
    bool detachable = false;      // see make_detachable
    bool awaited = false;         // a thread waits until it has no predecessors, and looks at `ready`
    bool kept_for_event = false;  // discarded; the memory lasts until the event is fulfilled
    std::uint8_t priority = 0;
    std::atomic<std::uint8_t> state{0};  // detachable: bits of TaskState
    std::atomic<bool> ready{false};
    bool may_have_descendants;    // set with `started`
    std::uint8_t size_class = 0;  // of its block
    bool reusable = false;        // its descriptor may be kept for another task (free_descriptor)

    // Makes it untied (§12.5), before it is submitted: a thread that waits in it may begin whatever descends from its scope.
    void untie() {
        Task& from = *parent.load(std::memory_order_relaxed);
        Task* const around = from.scope.load(std::memory_order_relaxed);
        scope.store(around != nullptr ? around : &from, std::memory_order_relaxed);
        parts = 0;
    }

    // Untied: `thread` has executed a part of it that was not the last.
    void end_part(Thread& thread) {
        last_thread = &thread;
        reusable = false;
        ++parts;
    }

    bool is_explicit() const { return parent.load(std::memory_order_relaxed) != nullptr; }

    // Gives it an event, before it is submitted: it is complete when its block is over and the event is fulfilled.
    void make_detachable() {
        detachable = true;
        plain = false;
    }
};

}  // namespace gossamer::omp
