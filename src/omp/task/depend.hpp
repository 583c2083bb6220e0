// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dependences between sibling tasks (OpenMP 5.2 §15.9.5). Since tasks run in the order of their generation,
// only late siblings (late.hpp) can be in the way of a new one, so only they are kept here: a table of their
// parent's.
#pragma once

#include <cstdint>
#include <span>

#include "omp/task/task.hpp"

namespace gossamer::omp {

enum class DependKind : std::uint8_t {
    in,         // after every earlier task with another kind on the same address
    inoutset,   // likewise: those of one set do not wait for each other
    exclusive,  // out, inout, mutexinoutset: after every earlier task with that address
    all_memory, // after every earlier task with any dependence; the address means nothing
};

struct Dependence {
    const void* address = nullptr;
    DependKind kind = DependKind::in;
};

using Dependences = std::span<const Dependence>;

// Says that `task` has to complete first.
struct Successor {
    Task* task;
    Successor* next;
};

// One clause item of a late task.
struct DependEntry {
    Dependence what;
    Task* task = nullptr;
    bool listed = false; // false: superseded by a later task that waits for this one
    ListLink<DependEntry> link;
};

// All functions under ThreadTasks::lock of the parent's thread.
class DependTable {
public:
    // True if a task with these dependences may not run yet.
    bool in_the_way(Dependences dependences) const;

    // Puts `task` after its predecessors, and into the table through `entries`, one for each dependence.
    void add(Task& task, Dependences dependences, DependEntry* entries);

    // Takes a completed task's entries out.
    void remove(Task& task);

private:
    using Entries = IntrusiveList<DependEntry, &DependEntry::link>;
    static constexpr unsigned bucket_bits = 6;

    static std::size_t bucket_of(const Dependence& dependence);
    template <class Visit>
    bool visit_conflicts(const Dependence& dependence, const Visit& visit);

    Entries buckets_[std::size_t{1} << bucket_bits];
    Entries all_memory_;
};

} // namespace gossamer::omp
