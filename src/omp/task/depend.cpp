// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "omp/task/depend.hpp"

#include <new>

#include "omp/task/depend_claim.hpp"
#include "omp/task/depend_line.hpp"

namespace gossamer::omp {

namespace {

bool is_shared(DependKind kind) { return kind != DependKind::exclusive; }

}  // namespace

// Without the lock, for the thread that adds tasks: no other changes which lines there are.
inline DependLine* DependTable::find_line(const void* address) const {
    for (DependLine* line = buckets_[bucket_of(address, bits_)]; line != nullptr; line = line->next) {
        if (line->address == address) return line;
    }
    return nullptr;
}

// The line of `address`, made if there is none.
inline DependLine& DependTable::line_of(const void* address) {
    if (GOSSAMER_UNLIKELY(lines_ >= most_lines_)) make_room();
    if (DependLine* const line = find_line(address)) return *line;
    DependLine*& bucket = buckets_[bucket_of(address, bits_)];
    DependLine* const line = ::new (take_node()) DependLine{address, bucket};
    bucket = line;
    ++lines_;
    ++idle_;
    return *line;
}

DependEntry* DependTable::entry_in(Task& task, const DependRank& rank) {
    for (std::uint32_t i = 0; i < task.entry_count; ++i) {
        if (task.entries[i].rank == &rank) return &task.entries[i];
    }
    return nullptr;
}

// `task` has another item with the address of `rank`, which it was the last to join. True: the rank must become exclusive for
// it, so the entry `joining` has left it and joins a rank of its own. False: nothing is left to do.
bool DependTable::enter_again(Task& task, DependEntry*& joining, DependRank& rank, DependKind& kind) {
    if (rank.kind == kind || rank.kind == DependKind::exclusive) return false;
    if (rank.unfinished == 1) {
        rank.kind = DependKind::exclusive;
        return false;
    }
    joining = entry_in(task, rank);
    rank.newest = nullptr;
    --rank.unfinished;
    if (&rank != &rank.line->first) {
        rank.waiting = joining->next;  // the task's entry was the newest
        --task.predecessors;
    }
    kind = DependKind::exclusive;
    return true;
}

inline void DependTable::enter(Task& task, DependEntry& entry, DependLine& line, DependKind kind) {
    DependRank* rank = line.last;
    DependEntry* joining = &entry;
    if (rank->unfinished == 0) {
        --idle_;
        rank->kind = kind;
    } else {
        if (GOSSAMER_UNLIKELY(rank->newest == &task) && !enter_again(task, joining, *rank, kind)) return line.set_gate();
        if (rank->kind != kind || !is_shared(kind)) {
            rank->next = ::new (take_node()) DependRank{.line = &line, .kind = kind};
            rank = line.last = rank->next;
        }
    }
    ++rank->unfinished;
    rank->newest = &task;
    joining->task = &task;
    joining->rank = rank;
    if (rank != &line.first) {
        joining->next = rank->waiting;
        rank->waiting = joining;
        ++task.predecessors;
    }
    line.set_gate();
}

// The line of omp_all_memory: a task with that item is exclusive on it, every other one shared (in). Tasks that were added
// while the line was empty have no entry there; its first rank stands for all of them.
void DependTable::enter_everything(Task& task, DependEntry& entry, DependKind kind) {
    if (everything_ == nullptr) {
        everything_ = ::new (take_node()) DependLine;
        ++idle_;
    }
    if (everything_->is_idle() && outside_ != 0) {
        --idle_;
        outside_rank_ = &everything_->first;
        outside_rank_->kind = DependKind::in;
        outside_rank_->unfinished = outside_;
        outside_rank_->newest = nullptr;
    }
    enter(task, entry, *everything_, kind);
}

GOSSAMER_INLINE void DependTable::enter_items(Task& task, Dependences dependences) {
    for (std::size_t i = 0; i < dependences.size(); ++i) {
        enter(task, task.entries[i], line_of(dependences[i].address), dependences[i].kind);
    }
    if (GOSSAMER_UNLIKELY(everything_ != nullptr && !everything_->is_idle())) {
        enter_everything(task, task.entries[dependences.size()], DependKind::in);
    } else {
        ++outside_;
    }
}

// The rest of `add` for a task with an item of a kind behind exclusive, of which `rarest` is the last in DependKind's order.
GOSSAMER_COLD bool DependTable::add_rare(Task& task, Dependences dependences, DependKind rarest) {
    if (rarest == DependKind::all_memory) {
        enter_everything(task, task.entries[dependences.size()], DependKind::exclusive);
    } else {
        enter_items(task, dependences);
    }
    live_.store(live() + 1, std::memory_order_relaxed);
    if (needs_claims(task)) ++claimants_;
    return task.predecessors == 0 && claim(task);
}

bool DependTable::add(Task& task, Dependences dependences, DependEntry* entries) {
    task.entries = entries;
    task.predecessors = 0;
    task.entry_count = static_cast<std::uint32_t>(entries_for(dependences.size()));
    for (std::uint32_t i = 0; i < task.entry_count; ++i) ::new (entries + i) DependEntry;
    DependKind rarest = DependKind::in;
    for (const Dependence& each : dependences) rarest = each.kind > rarest ? each.kind : rarest;
    if (GOSSAMER_UNLIKELY(rarest > DependKind::exclusive)) return add_rare(task, dependences, rarest);
    enter_items(task, dependences);
    live_.store(live() + 1, std::memory_order_relaxed);
    return task.predecessors == 0;
}

// A task of `rank`, which is the first of its line, is complete. Adds to `ready` the tasks that wait for nothing else.
inline void DependTable::leave(DependRank& rank, Task*& ready) {
    if (--rank.unfinished != 0) return;
    if (GOSSAMER_UNLIKELY(&rank == outside_rank_)) outside_rank_ = nullptr;
    DependRank* const next = rank.next;
    if (next == nullptr) {
        ++idle_;
        return rank.line->set_gate();
    }
    // The next rank's turn has come; all its tasks are still in its list of waiting entries.
    rank.become(*next);
    if (rank.line->last == next) {
        rank.line->last = &rank;
        rank.line->set_gate();
    }
    give_node(next);
    for (DependEntry* entry = rank.waiting; entry != nullptr; entry = entry->next) {
        entry->rank = &rank;
        if (--entry->task->predecessors != 0) continue;
        entry->task->next = ready;
        ready = entry->task;
    }
    rank.waiting = nullptr;
}

bool DependTable::lets_begin(Dependences dependences) const {
    if (live() == 0) return true;
    for (const Dependence& each : dependences) {
        if (GOSSAMER_UNLIKELY(each.kind == DependKind::all_memory)) return false;
        if (GOSSAMER_UNLIKELY(buckets_ == nullptr)) continue;
        const DependLine* const line = find_line(each.address);
        if (line != nullptr && !line->first.gate.lets_begin(each.kind)) return false;
    }
    return everything_ == nullptr || everything_->first.gate.lets_begin(DependKind::in);
}

GOSSAMER_INLINE Task* DependTable::take_out(Task& task) {
    Task* ready = nullptr;
    const bool outside = task.entries[task.entry_count - 1].rank == nullptr;
    for (std::uint32_t i = 0; i < task.entry_count; ++i) {
        DependRank* const rank = task.entries[i].rank;
        if (rank == nullptr) continue;
        if (rank->newest == &task) rank->newest = nullptr;  // the memory may become another task's
        leave(*rank, ready);
    }
    if (outside) {
        --outside_;
        if (GOSSAMER_UNLIKELY(outside_rank_ != nullptr)) leave(*outside_rank_, ready);
    }
    live_.store(live() - 1, std::memory_order_release);  // pairs with live(); the lock orders it behind earlier removals
    return ready;
}

GOSSAMER_COLD Task* DependTable::remove_beside_claimants(Task& task) {
    TaskList ready;
    if (needs_claims(task)) {
        --claimants_;
        give_up_claims(task, ready);
    }
    for (Task* at = take_out(task); at != nullptr;) {
        Task* const next = at->next;
        if (at->awaited || claim(*at)) ready.append(*at);
        at = next;
    }
    return ready.first;
}

Task* DependTable::remove(Task& task) {
    if (GOSSAMER_UNLIKELY(claimants_ != 0)) return remove_beside_claimants(task);
    return take_out(task);
}

}  // namespace gossamer::omp
