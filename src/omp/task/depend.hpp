// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dependences between sibling tasks (OpenMP 5.2 §15.9.5): a table of their parent's.
//
// Each address has a line of *ranks*. The tasks of one rank do not wait for each other; those of the first rank may run, and
// the next rank's turn comes when all of them are complete. A new task joins the last rank if that has the task's kind and the
// kind is shared (in, inoutset); otherwise it begins a new rank. So adding a task and completing it cost one step an address,
// however many tasks wait for each other. A line whose tasks are all complete stays, idle, for the next task with that address.
// When the table would have to grow and more than half of its lines are idle, the idle ones are forgotten instead.
//
// The tasks of a mutexinoutset are a rank of their own, of which only one may run at a time: before it may run, a task whose
// ranks' turns have all come *claims* all its addresses of that kind at once, or none (depend_claim.cpp). Since nobody holds
// one claim while it waits for another, several addresses cannot make tasks wait in a circle. A task that does not get its
// claims lies in the list of one address that another task has claimed; the thread that completes the other task hands the
// address on, under the same lock. Which task of the set comes first is left open, and one that still waits for another
// dependence holds up no other. A deferred task has its claims from the moment it is ready: any thread may execute it then. A
// task for which its generating thread waits (Task::awaited) claims only when that thread looks, since the thread may be
// executing another task just then, which may take long, or wait for others of the set.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/base.hpp"
#include "omp/task/depend_gate.hpp"
#include "omp/task/task.hpp"

namespace gossamer::omp {

struct Dependence {
    const void* address = nullptr;
    DependKind kind = DependKind::in;
};

using Dependences = std::span<const Dependence>;

struct DependRank;
struct DependLine;
struct DependNode;
struct TaskList;

// One clause item of a live task.
struct DependEntry {
    Task* task = nullptr;
    DependRank* rank = nullptr;   // null: an earlier item of the task with this address stands for it
    DependEntry* next = nullptr;  // of the same rank, until the rank's turn comes; then, of those that wait for its claim
};

class DependTable {
public:
    SpinLock lock;  // over the rest, and Task::predecessors and entries of the tasks in it

    constexpr DependTable() = default;
    DependTable(const DependTable&) = delete;
    DependTable& operator=(const DependTable&) = delete;
    ~DependTable();

    // A table without tasks, out of the process's stock and back into it. Neither
    // suspends; the program ends when memory is out.
    static DependTable& take();
    static void give(DependTable& table);
    static void forget_locks();  // in the child of a fork, whose parent's other threads may have held one

    // How many entries `add` needs for a task with `count` items.
    static constexpr std::size_t entries_for(std::size_t count) { return count + 1; }

    // Puts `task` behind its predecessors; `entries` is memory for entries_for(dependences.size()) of them, the task's from
    // now on. Under the lock. True: the task may run, and has its claims.
    bool add(Task& task, Dependences dependences, DependEntry* entries);

    // Whether a task with these dependences would wait for no other. Without the lock, for the thread that adds tasks: until it
    // adds the next, a yes stays true, and the effects of the tasks for which this one might have waited are visible.
    bool lets_begin(Dependences dependences) const;

    // Takes a complete task out, and gives up its claims. Under the lock. Returns the tasks that may run now, linked by
    // Task::next. They have their claims, but for an awaited one, which has to call claim.
    Task* remove(Task& task);

    // For a task without predecessors and claims. Under the lock. True: it has its claims now, if it needs any, and may run.
    // False: it needs one that another task has; when that is free `remove` returns the task.
    bool claim(Task& task);

    // Tasks in the table: exact under the lock, or for the parent's thread while the table has no tasks.
    // acquire pairs with remove: a thread that sees zero sees the effects of all of them.
    std::uint32_t live() const { return live_.load(std::memory_order_acquire); }

    // Addresses that the table remembers. Under the lock.
    std::size_t addresses() const { return lines_; }

private:
    DependLine* find_line(const void* address) const;
    DependLine& line_of(const void* address);
    bool enter_again(Task& task, DependEntry*& joining, DependRank& rank, DependKind& kind);
    void enter(Task& task, DependEntry& entry, DependLine& line, DependKind kind);
    void enter_items(Task& task, Dependences dependences);
    void enter_everything(Task& task, DependEntry& entry, DependKind kind);
    bool add_rare(Task& task, Dependences dependences, DependKind rarest);
    DependEntry* entry_in(Task& task, const DependRank& rank);
    void leave(DependRank& rank, Task*& ready);
    Task* take_out(Task& task);
    Task* remove_beside_claimants(Task& task);
    void give_up_claims(Task& task, TaskList& ready);
    void hand_on(DependRank& rank, TaskList& ready);
    void make_room();
    void forget_idle(std::size_t buckets);
    void* take_node();
    void give_node(void* node);
    void more_nodes();

    std::atomic<std::uint32_t> live_{0};
    std::uint32_t outside_ = 0;           // tasks in the table without an entry in everything_
    std::uint32_t claimants_ = 0;         // tasks in the table with an entry that needs a claim
    DependRank* outside_rank_ = nullptr;  // the rank of everything_ that stands for them
    DependLine* everything_ = nullptr;    // the line of omp_all_memory; null until a task names that
    DependLine** buckets_ = nullptr;
    std::uint32_t bits_ = 0;  // there are 2^bits_ buckets
    std::size_t lines_ = 0;
    std::size_t most_lines_ = 0;  // at which make_room is called
    std::size_t idle_ = 0;        // lines without tasks
    DependNode* free_nodes_ = nullptr;
    DependNode* chunks_ = nullptr;  // what nodes are cut from; the first node of each links them
    DependTable* next_spare_ = nullptr;
};

}  // namespace gossamer::omp
