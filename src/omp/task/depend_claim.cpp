// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Claims: of the tasks of one mutexinoutset only one runs at a time (depend.hpp). All under the table's lock.
//
// Invariant: an entry lies in the ring of a rank only while the rank is claimed. For it is appended when its task finds the
// rank claimed, and a rank that is given up hands itself on until it is claimed again or its ring is empty. So each task that
// waits for a claim waits for a task that has all its claims and may run; when that one is complete, the thread that takes it
// out comes to the ring. At most one task of a table is awaited, the newest, since its generating thread waits meanwhile; so
// the others of a ring come before it, and the thread is told only once an address is left for it. By the time it looks,
// another task may have claimed that one: then it lies in a ring again.
#include "omp/task/depend_claim.hpp"

namespace gossamer::omp {

namespace {

// The entry's task waits until the rank, which another task has claimed, is given up.
void wait_for_claim(DependEntry& entry) {
    DependRank& rank = *entry.rank;
    if (rank.waiting == nullptr) {
        entry.next = &entry;
    } else {
        entry.next = rank.waiting->next;
        rank.waiting->next = &entry;
    }
    rank.waiting = &entry;
}

// Takes the entry that has waited longest out of the ring, which is not empty.
DependEntry& take_waiting(DependRank& rank) {
    DependEntry& oldest = *rank.waiting->next;
    if (&oldest == rank.waiting) {
        rank.waiting = nullptr;
    } else {
        rank.waiting->next = oldest.next;
    }
    return oldest;
}

}  // namespace

bool needs_claims(const Task& task) {
    for (std::uint32_t i = 0; i < task.entry_count; ++i) {
        if (needs_claim(task.entries[i])) return true;
    }
    return false;
}

bool DependTable::claim(Task& task) {
    for (std::uint32_t i = 0; i < task.entry_count; ++i) {
        DependEntry& entry = task.entries[i];
        if (!needs_claim(entry) || !entry.rank->claimed) continue;
        wait_for_claim(entry);
        return false;
    }
    for (std::uint32_t i = 0; i < task.entry_count; ++i) {
        if (needs_claim(task.entries[i])) task.entries[i].rank->claimed = true;
    }
    return true;
}

// The rank is not claimed any more: the next task that waits for it may get it.
void DependTable::hand_on(DependRank& rank, TaskList& ready) {
    DependEntry* awaited = nullptr;
    while (!rank.claimed && rank.waiting != nullptr) {
        DependEntry& entry = take_waiting(rank);
        if (entry.task->awaited) {
            awaited = &entry;
        } else if (claim(*entry.task)) {
            ready.append(*entry.task);
        }
    }
    if (awaited == nullptr) return;
    if (rank.claimed) {
        wait_for_claim(*awaited);
    } else {
        ready.append(*awaited->task);
    }
}

// `task`, which is complete, has claims. Appends to `ready` the tasks that can run because it gives them up. All are given up
// before the first is handed on, for a task that waits may need several of them.
void DependTable::give_up_claims(Task& task, TaskList& ready) {
    for (std::uint32_t i = 0; i < task.entry_count; ++i) {
        if (needs_claim(task.entries[i])) task.entries[i].rank->claimed = false;
    }
    for (std::uint32_t i = 0; i < task.entry_count; ++i) {
        if (needs_claim(task.entries[i])) hand_on(*task.entries[i].rank, ready);
    }
}

}  // namespace gossamer::omp
