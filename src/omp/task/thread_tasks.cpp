// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "omp/task/thread_tasks.hpp"

#include <bit>
#include <cstdlib>
#include <new>

#include "omp/task/plain.hpp"
#include "omp/task/task_reduction.hpp"

namespace gossamer::omp {

namespace {

void give_all(BlockCache& blocks, Task*& kept) {
    while (Task* const task = kept) {
        kept = task->next;
        blocks.give(task->size_class, task);
    }
}

}  // namespace

TaskDeque* make_deque(Thread& thread) {
    const bool asymmetric = TaskFences::choose();  // the deque publishes it
    const std::int64_t capacity = std::bit_ceil(globals().task_limit);
    const std::size_t size = sizeof(TaskDeque) + static_cast<std::size_t>(capacity) * sizeof(TaskDeque::Slot);
    void* const memory = std::aligned_alloc(alignof(TaskDeque), align_up(size, alignof(TaskDeque)));
    if (memory == nullptr) return nullptr;
    auto* const slots = reinterpret_cast<TaskDeque::Slot*>(static_cast<char*>(memory) + sizeof(TaskDeque));
    for (std::int64_t i = 0; i < capacity; ++i) ::new (slots + i) TaskDeque::Slot(nullptr);
    const bool quick = asymmetric && !globals().cancellation && !fiber::mode_is_on(fiber::mode_chaos);
    const std::int64_t enough = enough_for(*thread.team, enough_tasks);
    const std::int64_t quick_most = enough < capacity ? enough : capacity - 1;
    auto* const deque = ::new (memory) TaskDeque(slots, capacity, quick ? quick_most : -1);
    thread.tasks.random = Random(globals().chaos_seed + thread.num + 1);
    thread.tasks.small_task_cycles = fiber::cycles_in(Spared::small_ns);
    // release pairs with the acquire of other threads: deque_of (search.cpp), judge_loot and the second look's
    thread.tasks.deque.store(deque, std::memory_order_release);
    return deque;
}

void ThreadTasks::drop_blanks() { give_all(blocks, blank); }

void ThreadTasks::give_back() {
    give_all(blocks, called);
    drop_blanks();
    blocks.flush();
}

ThreadTasks::~ThreadTasks() {
    give_back();
    static_assert(std::is_trivially_destructible_v<TaskDeque>);
    std::free(deque.load(std::memory_order_relaxed));
}

SharedQueue& TeamTasks::shared_queue() {
    SharedQueue* known = queue.load(std::memory_order_acquire);
    if (GOSSAMER_LIKELY(known != nullptr)) return *known;
    void* const memory = std::malloc(sizeof(SharedQueue));
    if (memory == nullptr) fatal("out of memory for a team's tasks");
    SharedQueue* const made = ::new (memory) SharedQueue;
    // release pairs with the acquire of known_queue: a thread that finds the queue sees it empty
    if (queue.compare_exchange_strong(known, made, std::memory_order_acq_rel, std::memory_order_acquire)) return *made;
    std::free(made);
    return *known;
}

void TeamTasks::forget() {
    word.forget();
    forget_reductions(*this);
}

TeamTasks::~TeamTasks() {
    forget_reductions(*this);
    static_assert(std::is_trivially_destructible_v<SharedQueue>);
    std::free(queue.load(std::memory_order_relaxed));
}

}  // namespace gossamer::omp
