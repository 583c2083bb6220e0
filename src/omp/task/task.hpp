// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A task and its data environment (OpenMP 5.2 §12). What may happen to one, and who may touch what, is told in
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

// What a task is made of, behind the ABI that made it.
struct TaskKind {
    // Its structured block, or the next part of it, on the thread that executes it. False: it is an untied task that wants
    // to be called once more.
    bool (*run)(Task& task);
    void (*discard)(Task& task);  // instead of run when it is cancelled; null: nothing to do
    void (*dispose)(Task& task);  // frees it; any thread. Null: its memory is a block of BlockCache
};

// Tasks that somebody waits for. Those that become complete on the thread that executes their generating task are counted
// without atomics.
struct Tally {
    // Generated, less those that became complete on that thread. Of the thread that executes the generating task.
    std::int64_t here = 0;
    // Two for each that became complete elsewhere. While the generating task sleeps until there are none, less two times
    // `here`, plus its thread's number, plus one, in `waiter_unit`; once it has ended, less two times `here`, plus one.
    // So whoever comes last finds no number left but the thread's, or the one.
    std::atomic<std::int64_t> elsewhere{0};

    static constexpr std::int64_t waiter_unit = std::int64_t{1} << 40;

    // By the generating task's thread. acquire pairs with the release by which each of them was counted.
    bool none_left() const { return GOSSAMER_LIKELY(here == 0) || 2 * here == elsewhere.load(std::memory_order_acquire); }

    // The same, which forgets those that are complete.
    bool settle() {
        if (here == 0) return true;
        if (2 * here != elsewhere.load(std::memory_order_acquire)) return false;
        here = 0;
        elsewhere.store(0, std::memory_order_relaxed);  // nobody else counts any more
        return true;
    }
};

// An atomic variable in memory that a stale pointer may lead to: it is looked at while it begins to live, too, so its first value
// is stored like any other.
template <class T>
class Revisited {
public:
    explicit Revisited(T value) { store(value, std::memory_order_relaxed); }
    T load(std::memory_order order) const { return std::atomic_ref<T>(value_).load(order); }
    void store(T value, std::memory_order order) { std::atomic_ref<T>(value_).store(value, order); }

private:
    mutable T value_;
};

enum TaskState : std::uint8_t { block_over = 1, event_fulfilled = 2, discarded_early = 4 };

struct Task {
    Task() : floor(0) {}  // an implicit one
    // A child of `from`, the task that the calling thread executes, with its data environment (§2.4, §12.5).
    inline Task(Task& from, Team* its_team, const TaskKind& its_kind);
    // One that is over, and as it began but for this and `owed`, becomes a child of `from`.
    inline void take_over(Task& from, std::uint32_t its_depth);

    Icvs icvs;
    Taskgroup* taskgroup = nullptr;  // the innermost around what it executes now, or was generated in
    Tally children;                  // not complete yet: what taskwait waits for
    Tally family;  // not gone yet, outside of its taskgroups; a child is gone when it is complete and its family is gone
    // So far goes what an implicit task without explicit ones touches.
    Revisited<Task*> parent{nullptr};  // null: an implicit task. Thieves read it, of tasks that are gone too
    Tally* owed = nullptr;             // where it is counted until it is gone: its parent's family, or a taskgroup
    const TaskKind* kind = nullptr;
    Team* team = nullptr;
    std::atomic<Thread*> executor{nullptr};  // the thread that executes it now; the thread itself sets and clears it
    union {
        std::int64_t floor;  // from its beginning on: what its thread has pushed since lies at or above that index
        Task* next;          // in a list of ready tasks
    };
    DependTable* depends = nullptr;     // what its children's depend clauses say; null: none has any
    DependEntry* entries = nullptr;     // its own in the parent's table
    Thread* last_thread = nullptr;      // untied: in whose deque its next part lies, or whose it was
    Revisited<Task*> scope{nullptr};    // an untied one's: the nearest tied ancestor; null: it is tied. Read as `parent` is
    Revisited<std::uint32_t> depth{0};  // ancestors; read as `parent` is
    std::uint32_t entry_count;          // with entries only, as the next one
    std::uint32_t predecessors;         // entries that wait; under the table's lock
    bool plain = true;                  // no entries, depends, event or dispose, and its block is of a fine class: it is
                                        // complete when its block is over
    bool started = false;               // not to be discarded: it has run a part, or only its block destroys its copies
    bool detachable = false;            // see make_detachable
    bool awaited = false;               // its thread waits until it has no predecessors, and looks at `ready`
    bool stays = false;                 // its memory is not the runtime's to free yet
    std::uint8_t priority = 0;
    std::atomic<std::uint8_t> state{0};  // bits of TaskState, of one that is detachable
    std::atomic<bool> ready{false};
    bool has_kin;                 // if it has started: it may have descendants
    std::uint8_t size_class = 0;  // of its block

    // Untied (§12.5), before it is submitted: who waits in it may begin what only descends from its scope.
    void untie() {
        Task& from = *parent.load(std::memory_order_relaxed);
        Task* const around = from.scope.load(std::memory_order_relaxed);
        scope.store(around != nullptr ? around : &from, std::memory_order_relaxed);
    }

    bool is_explicit() const { return parent.load(std::memory_order_relaxed) != nullptr; }

    // It is complete when its block is over and its event is fulfilled. Before it is submitted.
    void make_detachable() {
        detachable = true;
        plain = false;
    }
};

}  // namespace gossamer::omp
