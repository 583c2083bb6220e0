// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Task reductions as clang's programs describe them.
//
// A thread makes its own block when it first touches one of its copies, so looking it up takes no lock. It initialises each
// copy when it first asks for that one, and not before: the initialiser of a section whose length is known only at run time
// reads the length where the program has put it, for this thread, just before it asks. The thread that ends the taskgroup, or
// the last thread to leave the region's taskgroups, combines all copies that were initialised.
#include "omp/task/task_reduction.hpp"

#include <cstdlib>
#include <cstring>
#include <new>

#include "omp/team/team.hpp"

namespace gossamer::omp {

namespace {

ReductionCopies& new_copies(std::uint32_t size, std::size_t block) {
    void* const memory = std::calloc(1, sizeof(ReductionCopies) + size * sizeof(void*));
    if (memory == nullptr) fatal("out of memory for task reductions");
    auto* const copies = ::new (memory) ReductionCopies;
    copies->size = size;
    copies->block = block;
    return *copies;
}

// Chooses the offsets; returns the size of a block. It begins with a byte for each variable: whether the copy is initialised.
// Copies of two variables share no cache line, nor do blocks of two threads.
std::size_t lay_out(TaskReductions& reductions) {
    std::size_t block = align_up(std::size_t{reductions.count}, cache_line);
    for (std::uint32_t i = 0; i < reductions.count; ++i) {
        reductions.items[i].offset = block;
        block += align_up(reductions.items[i].size, cache_line);
    }
    return block;
}

void init_copy(const ReductionItem& item, void* copy) {
    if (item.init == nullptr) return;
    if (item.original != nullptr) {
        reinterpret_cast<void (*)(void*, void*)>(item.init)(copy, item.original);
    } else {
        reinterpret_cast<void (*)(void*)>(item.init)(copy);
    }
}

char* own_copy(const TaskReductions& reductions, std::uint32_t num, std::uint32_t which) {
    ReductionCopies& copies = *reductions.copies;
    // relaxed, here and below: other threads only compare addresses, which the program has passed on itself; the end of the
    // group orders the contents
    char* block = static_cast<char*>(copies.blocks[num].load(std::memory_order_relaxed));
    if (block == nullptr) {
        block = static_cast<char*>(std::aligned_alloc(cache_line, copies.block));
        if (block == nullptr) fatal("out of memory for task reductions");
        std::memset(block, 0, copies.block);
        copies.blocks[num].store(block, std::memory_order_relaxed);
    }
    const ReductionItem& item = reductions.items[which];
    if (block[which] == 0) {
        block[which] = 1;
        init_copy(item, block + item.offset);
    }
    return block + item.offset;
}

bool is_copy(const ReductionCopies& copies, const ReductionItem& item, const void* address) {
    for (std::uint32_t num = 0; num < copies.size; ++num) {
        void* const block = copies.blocks[num].load(std::memory_order_relaxed);
        if (block != nullptr && static_cast<char*>(block) + item.offset == address) return true;
    }
    return false;
}

// The current thread's copy of what `address` is, as the groups from `group` outwards know it; null: none of them has it.
void* find_copy(const Thread& thread, const Taskgroup* group, const void* address) {
    for (; group != nullptr; group = group->outer) {
        const TaskReductions* const reductions = group->reductions;
        if (reductions == nullptr) continue;
        for (std::uint32_t i = 0; i < reductions->count; ++i) {
            const ReductionItem& item = reductions->items[i];
            if (item.variable != address && !is_copy(*reductions->copies, item, address)) continue;
            return own_copy(*reductions, thread.num, i);
        }
    }
    return nullptr;
}

void free_copies(ReductionCopies& copies) {
    for (std::uint32_t num = 0; num < copies.size; ++num) std::free(copies.blocks[num].load(std::memory_order_relaxed));
    std::free(&copies);
}

// Combines the copies into the variables, by thread number, so that the order is always the same; frees the copies.
void combine(TaskReductions& reductions) {
    ReductionCopies& copies = *reductions.copies;
    for (std::uint32_t num = 0; num < copies.size; ++num) {
        char* const block = static_cast<char*>(copies.blocks[num].load(std::memory_order_relaxed));
        if (block == nullptr) continue;
        for (std::uint32_t i = 0; i < reductions.count; ++i) {
            if (block[i] == 0) continue;
            const ReductionItem& item = reductions.items[i];
            item.combine(item.variable, block + item.offset);
            if (item.fini != nullptr) item.fini(block + item.offset);
        }
    }
    free_copies(copies);
}

}  // namespace

TaskReductions& task_reductions(std::uint32_t count) {
    void* const memory = std::calloc(1, sizeof(TaskReductions) + count * sizeof(ReductionItem));
    if (memory == nullptr) fatal("out of memory for task reductions");
    auto* const reductions = ::new (memory) TaskReductions;
    reductions->count = count;
    return *reductions;
}

void reduction_begin_taskgroup(Thread& thread, TaskReductions& reductions) {
    Taskgroup* const group = thread.task->taskgroup;
    GOSSAMER_CHECK(group != nullptr, "task reduction outside of any taskgroup");
    reductions.copies = &new_copies(thread.team->size, lay_out(reductions));
    group->reductions = &reductions;
}

void reduction_begin_region(Thread& thread, TaskReductions& reductions, bool worksharing) {
    Taskgroup& group = taskgroup_begin(thread);
    group.workshare = worksharing;
    Team& team = *thread.team;
    std::atomic<ReductionCopies*>& shared = team.tasks.shared[worksharing ? 1 : 0];
    const std::size_t block = lay_out(reductions);
    // acquire pairs with the compare-and-swap: a thread that finds the copies reads their size and block
    ReductionCopies* copies = shared.load(std::memory_order_acquire);
    if (copies == nullptr) {
        ReductionCopies& made = new_copies(team.size, block);
        if (shared.compare_exchange_strong(copies, &made, std::memory_order_acq_rel, std::memory_order_acquire)) {
            copies = &made;
        } else {
            std::free(&made);
        }
    }
    reductions.copies = copies;
    reductions.shared = &shared;
    group.reductions = &reductions;
}

void* reduction_copy(Thread& thread, Taskgroup* group, void* address) {
    if (thread.team->size == 1) return address;  // the only thread uses the variable itself
    // The task's own groups come first: for tasks inside a taskloop with a reduction clause, clang 19 names a group that is not
    // around them, or none at all, with the address of the taskloop's copy.
    void* copy = find_copy(thread, thread.task->taskgroup, address);
    if (copy == nullptr) copy = find_copy(thread, group, address);
    if (copy == nullptr) fatal("in_reduction of %p: no enclosing task_reduction or reduction(task) has it", address);
    return copy;
}

void reduction_end_taskgroup(Taskgroup& group) {
    TaskReductions& reductions = *group.reductions;
    group.reductions = nullptr;
    if (reductions.shared == nullptr) {
        combine(reductions);
    } else {
        ReductionCopies& copies = *reductions.copies;
        // acq_rel pairs with itself: the last thread has acquired what every thread put into its block
        if (copies.left.fetch_add(1, std::memory_order_acq_rel) + 1 == copies.size) {
            reductions.shared->store(nullptr, std::memory_order_relaxed);  // the construct's barrier publishes it
            combine(reductions);
        }
    }
    std::free(&reductions);
}

void forget_reductions(TeamTasks& tasks) {
    for (std::atomic<ReductionCopies*>& slot : tasks.shared) {
        // relaxed, both: none of the team's threads runs
        if (ReductionCopies* const copies = slot.load(std::memory_order_relaxed)) free_copies(*copies);
        slot.store(nullptr, std::memory_order_relaxed);
    }
}

}  // namespace gossamer::omp
