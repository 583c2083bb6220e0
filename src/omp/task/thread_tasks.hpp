// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A thread's part, and a team's, in executing tasks.
#pragma once

#include <atomic>
#include <cstdint>

#include "fiber/fiber.hpp"
#include "omp/task/shared_queue.hpp"
#include "omp/task/spared.hpp"
#include "omp/task/task.hpp"
#include "omp/task/task_deque.hpp"
#include "omp/task/task_memory.hpp"
#include "omp/task/task_word.hpp"

namespace gossamer::omp {

// The two sides of the asymmetric fence; both are ordinary ones where the system offers none.
struct TaskFences : StdAtomics {
    // Set before the first deque is published; one who does not know it yet fences once too often.
    static inline constinit std::atomic<bool> asymmetric{false};

    static void light() {
        std::atomic_signal_fence(std::memory_order_seq_cst);
        if (GOSSAMER_UNLIKELY(!asymmetric.load(std::memory_order_relaxed))) fence(std::memory_order_seq_cst);
    }
    static void order() { std::atomic_signal_fence(std::memory_order_seq_cst); }
    // About as long as the fence takes of all threads together, some fifteen microseconds.
    static std::uint32_t looks() { return asymmetric.load(std::memory_order_relaxed) ? 512 : 0; }
    static void pause() { arch::pause(); }
    static constexpr std::int64_t part = 8;
    static constexpr std::uint32_t pops_alone = 64;  // under a lock for nothing, they cost a tenth of that fence
    static void heavy() {
        if (!os::heavy_fence()) fence(std::memory_order_seq_cst);
    }
};

using TaskWord = BasicTaskWord<fiber::Fiber>;
using TaskDeque = BasicTaskDeque<Task*, TaskFences, SpinLock>;

struct ThreadTasks {
    // The thread's own.
    BlockCache blocks;
    Task* called = nullptr;  // tasks that it has called within their constructs: see call_task;
    Task* blank = nullptr;   // others that it has executed there: see blank_task
    Random random{1};
    std::uint32_t last_victim = 0;
    std::uint32_t loot_tasks = 0;               // how many it stole there last,
    std::uint32_t loot_depends = 0;             // and how many with dependences it has executed since then
    std::uint64_t loot_at = 0;                  // in cycles: when, if what that was worth is not judged yet; or 0
    std::uint64_t loot_cost = 0;                // in cycles: of telling those that wait for what it has executed since then
    std::uint32_t long_loots = 0;               // in a row that were worth more than a theft
    std::atomic<std::uint32_t> shared_seen{0};  // SharedQueue::pushes when it held nothing for one who waits
    const Task* shared_seen_in = nullptr;       // in this task
    std::atomic<std::uint32_t> kept{0};         // tasks with dependences that it has not put off because it is spared
    std::uint32_t keeps_on = 0;                 // so many more it keeps without asking, while it is left alone
    std::uint64_t small_task = 0;               // in cycles: Spared::small_ns, once it has a deque
    std::uint32_t resumed = 0;                  // parts of untied tasks that it has put back

    // Null until the thread first defers a task. It lives as long as the thread's descriptor.
    std::atomic<TaskDeque*> deque{nullptr};

    // Where it leaves itself when there is nothing to execute. What it waits in, null: it may execute any task of the team.
    alignas(cache_line) TaskWord::Slot slot{nullptr};
    std::atomic<Task*> waits_in{nullptr};
    std::atomic<bool> called_back{false};  // a home that helps again: it is among Team::unfinished
    Spared spared;
    bool counted = false;  // whoever woke it has counted it among those that search

    // The monitor's: the deque at its last look.
    std::int64_t taken_then = 0;
    std::size_t size_then = 0;

    // Gives the descriptors in `blank` back to the cache.
    GOSSAMER_COLD void drop_blanks();

    ThreadTasks() = default;
    ~ThreadTasks();
    ThreadTasks(const ThreadTasks&) = delete;
    ThreadTasks& operator=(const ThreadTasks&) = delete;
};

struct ReductionCopies;
struct Team;
struct Thread;

// Makes the deque of `thread`, which has none. Null: there is no memory. Never suspends.
GOSSAMER_COLD TaskDeque* make_deque(Thread& thread);

// A team's part.
struct TeamTasks {
    // Task reductions that all threads of the region share: of the parallel region, of a worksharing construct.
    alignas(no_share) std::atomic<ReductionCopies*> shared[2] = {nullptr, nullptr};
    std::atomic<SharedQueue*> queue{nullptr};  // it lives as long as the team's descriptor

    TaskWord word;  // who there is to execute tasks

    // See second_look.hpp.
    std::atomic<bool> noted{false};
    Team* next_noted = nullptr;      // written by who sets the mark
    Team* next_looked_at = nullptr;  // by who looks

    // Before each region: a cancelled one may have left copies behind.
    void reset() {
        // relaxed: none of the team's threads runs
        if (GOSSAMER_UNLIKELY(shared[0].load(std::memory_order_relaxed) != nullptr ||
                              shared[1].load(std::memory_order_relaxed) != nullptr ||
                              !word.counts(std::memory_order_relaxed).none())) {
            forget();
        }
    }
    void forget();

    // The queue of ready tasks that are in no deque, made when it is first used; and null where it is not there yet.
    SharedQueue& shared_queue();
    SharedQueue* known_queue() const { return queue.load(std::memory_order_acquire); }  // pairs with shared_queue

    TeamTasks() = default;
    ~TeamTasks();
    TeamTasks(const TeamTasks&) = delete;
    TeamTasks& operator=(const TeamTasks&) = delete;
};

}  // namespace gossamer::omp
