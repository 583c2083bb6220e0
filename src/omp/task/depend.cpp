// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "omp/task/depend.hpp"

#include <cstdlib>

namespace gossamer::omp {

namespace {

bool conflict(DependKind earlier, DependKind later) {
    const bool shares = later == DependKind::in || later == DependKind::inoutset;
    return !(shares && earlier == later);
}

void put_after(Task& task, Task& predecessor) {
    // Its edges are added together, so a second one is the first in the list.
    if (predecessor.successors != nullptr && predecessor.successors->task == &task)
        return;
    auto* const edge = static_cast<Successor*>(std::malloc(sizeof(Successor)));
    if (edge == nullptr)
        fatal("out of memory for a task's dependences");
    *edge = {&task, predecessor.successors};
    predecessor.successors = edge;
    ++task.predecessors;
}

} // namespace

std::size_t DependTable::bucket_of(const Dependence& dependence) {
    return mix64(reinterpret_cast<std::uintptr_t>(dependence.address)) >> (64 - bucket_bits);
}

// Calls visit(entries, entry) for each entry that a new task has to wait for, until it returns true. It may
// take the entry out.
template <class Visit>
bool DependTable::visit_conflicts(const Dependence& dependence, const Visit& visit) {
    const auto walk = [&](Entries& entries, bool any) {
        for (DependEntry* at = entries.front(); at != nullptr;) {
            DependEntry* const next = Entries::next_of(at);
            const bool meets =
                any || (at->what.address == dependence.address && conflict(at->what.kind, dependence.kind));
            if (meets && visit(entries, *at))
                return true;
            at = next;
        }
        return false;
    };
    if (walk(all_memory_, true))
        return true;
    if (dependence.kind != DependKind::all_memory)
        return walk(buckets_[bucket_of(dependence)], false);
    for (Entries& bucket : buckets_) {
        if (walk(bucket, true))
            return true;
    }
    return false;
}

bool DependTable::in_the_way(Dependences dependences) const {
    for (const Dependence& dependence : dependences) {
        const auto any = [](Entries&, DependEntry&) { return true; };
        if (const_cast<DependTable*>(this)->visit_conflicts(dependence, any))
            return true;
    }
    return false;
}

void DependTable::add(Task& task, Dependences dependences, DependEntry* entries) {
    for (const Dependence& dependence : dependences) {
        // What an exclusive task waits for, its own successors need not wait for as well.
        const bool supersedes =
            dependence.kind == DependKind::exclusive || dependence.kind == DependKind::all_memory;
        visit_conflicts(dependence, [&](Entries& list, DependEntry& entry) {
            put_after(task, *entry.task);
            if (supersedes && (&list != &all_memory_ || dependence.kind == DependKind::all_memory)) {
                list.remove(&entry);
                entry.listed = false;
            }
            return false;
        });
    }
    task.entries = entries;
    task.entry_count = static_cast<std::uint32_t>(dependences.size());
    for (std::uint32_t i = 0; i < task.entry_count; ++i) {
        DependEntry& entry = entries[i];
        entry.what = dependences[i];
        entry.task = &task;
        entry.listed = true;
        const bool all = entry.what.kind == DependKind::all_memory;
        (all ? all_memory_ : buckets_[bucket_of(entry.what)]).push_back(&entry);
    }
}

void DependTable::remove(Task& task) {
    for (std::uint32_t i = 0; i < task.entry_count; ++i) {
        DependEntry& entry = task.entries[i];
        if (!entry.listed)
            continue;
        const bool all = entry.what.kind == DependKind::all_memory;
        (all ? all_memory_ : buckets_[bucket_of(entry.what)]).remove(&entry);
        entry.listed = false;
    }
}

} // namespace gossamer::omp
