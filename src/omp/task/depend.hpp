// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dependences between sibling tasks (OpenMP 5.2 §15.9.5): a table of their parent's.
//
// Each address has a line of *ranks*: tasks of one rank do not wait for each other, those of the first may run, the next
// rank's turn comes when all of the first are complete. A task joins the last rank if that has its own kind and the kind is
// shared (in, inoutset); otherwise it begins a new one. So adding a task and completing it cost one step an address,
// however many tasks wait for each other. A line whose tasks are all complete stays, idle, for the next with that address;
// when more than half of them are idle they are forgotten, before the table would grow.
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

// One clause item of a live task.
struct DependEntry {
    Task* task = nullptr;
    DependRank* rank = nullptr;   // null: an earlier item of the task says it all
    DependEntry* next = nullptr;  // of the same rank, while that waits for its turn
};

class DependTable {
public:
    SpinLock lock;  // over the rest, and Task::predecessors and entries of the tasks in it

    constexpr DependTable() = default;
    DependTable(const DependTable&) = delete;
    DependTable& operator=(const DependTable&) = delete;
    ~DependTable();

    // One without tasks, and back again. Never suspend.
    static DependTable& take();
    static void give(DependTable& table);
    static void forget_locks();  // in the child of a fork: somebody may have held one

    // How many entries `add` needs for a task with `count` items.
    static constexpr std::size_t entries_for(std::size_t count) { return count + 1; }

    // Puts `task` behind its predecessors; `entries` is memory for entries_for(dependences.size()) of them, the task's from
    // now on. True: it may run.
    bool add(Task& task, Dependences dependences, DependEntry* entries);

    // Whether a task with these dependences would wait for nobody. By the one who adds, without the lock: until it adds the
    // next, a yes stays one, and all that those have done for whom the task might have waited is visible.
    bool lets_begin(Dependences dependences) const;

    // Takes a completed task out. Returns the tasks that may run now, linked by Task::next.
    Task* remove(Task& task);

    // Tasks in the table; exact under the lock, or by the parent while it has generated none.
    // acquire pairs with remove: behind a zero lies what all of them have done.
    std::uint32_t live() const { return live_.load(std::memory_order_acquire); }

    // Addresses that the table remembers; under the lock.
    std::size_t addresses() const { return lines_; }

private:
    DependLine* find_line(const void* address) const;
    DependLine& line_of(const void* address);
    bool enter_again(Task& task, DependEntry*& joining, DependRank& rank, DependKind& kind);
    void enter(Task& task, DependEntry& entry, DependLine& line, DependKind kind);
    void enter_everything(Task& task, DependEntry& entry, DependKind kind);
    DependEntry* entry_in(Task& task, const DependRank& rank);
    void leave(DependRank& rank, Task*& ready);
    void make_room();
    void forget_idle(std::size_t buckets);
    void* take_node();
    void give_node(void* node);
    void more_nodes();

    std::atomic<std::uint32_t> live_{0};
    std::uint32_t outside_ = 0;           // of those, without an entry in everything_
    DependRank* outside_rank_ = nullptr;  // stands for them in everything_
    DependLine* everything_ = nullptr;    // null until there is an omp_all_memory
    DependLine** buckets_ = nullptr;
    std::uint32_t bits_ = 0;  // there are 2^bits_ buckets
    std::size_t lines_ = 0;
    std::size_t most_lines_ = 0;  // so many buckets, and so many lines before there is one more
    std::size_t idle_ = 0;        // lines without tasks
    void* free_nodes_ = nullptr;
    void* chunks_ = nullptr;
    DependTable* next_spare_ = nullptr;
};

}  // namespace gossamer::omp
