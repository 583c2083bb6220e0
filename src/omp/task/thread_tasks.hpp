// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a thread and a team keep for executing tasks.
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

// The two sides of the asymmetric fence; ordinary fences where the system offers none.
struct TaskFences : StdAtomics {
    // Set before the first deque is published; a thread that reads the old value fences once too often.
    static inline constinit std::atomic<bool> asymmetric{false};
    static bool choose() {
        const bool offered = os::asymmetric_fence_ready();
        asymmetric.store(offered, std::memory_order_relaxed);
        return offered;
    }

    static void light() {
        std::atomic_signal_fence(std::memory_order_seq_cst);
        if (GOSSAMER_UNLIKELY(!asymmetric.load(std::memory_order_relaxed))) fence(std::memory_order_seq_cst);
    }
    static void order() { std::atomic_signal_fence(std::memory_order_seq_cst); }
    // How often a thief looks for an answer: about as long as the fence takes of all
    // threads together, some fifteen microseconds.
    static std::uint32_t looks() { return asymmetric.load(std::memory_order_relaxed) ? 512 : 0; }
    static void pause() { arch::pause(); }
    static constexpr std::int64_t part = 8;
    static constexpr std::uint32_t pops_alone = 64;  // needless locks of so many pops cost a tenth of that fence
    static void heavy() {
        if (!os::heavy_fence()) fence(std::memory_order_seq_cst);
    }
};

using TaskWord = BasicTaskWord<fiber::Fiber>;
using TaskDeque = BasicTaskDeque<Task*, TaskFences, SpinLock>;

struct ThreadTasks {
    // Written by the thread itself only.
    BlockCache blocks;
    Task* called = nullptr;  // descriptors that call_task keeps
    Task* blank = nullptr;   // descriptors that free_descriptor keeps
    Random random{1};
    std::uint32_t last_victim = 0;              // from whom it stole last
    std::uint32_t loot_tasks = 0;               // how many tasks it stole there
    std::uint32_t loot_depends = 0;             // tasks with dependences that it has executed since
    std::uint64_t loot_at = 0;                  // cycles: when it stole them; 0: the loot has been judged
    std::uint64_t loot_cost = 0;                // cycles: of taking what it has executed since out of dependence tables
    std::uint32_t long_loots = 0;               // loots in a row that were worth more than a theft
    std::atomic<std::uint32_t> shared_seen{0};  // SharedQueue::pushes when the queue held nothing that the thread might begin
    const Task* shared_seen_in = nullptr;       // while it waited in this task
    std::atomic<std::uint32_t> kept{0};         // tasks with dependences that it has executed at once because it is spared
    std::uint32_t keeps_unasked = 0;            // how many more it may keep so before it asks again
    std::uint64_t small_task_cycles = 0;        // Spared::small_ns, once the thread has a deque

    // Null until the thread first defers a task. The deque lives as long as the thread's descriptor.
    std::atomic<TaskDeque*> deque{nullptr};

    // Where the thread leaves itself when it finds nothing to execute, and the task in which it then waits, whose descendants
    // alone it may execute; null: any task of the team.
    alignas(cache_line) TaskWord::Slot slot{nullptr};
    std::atomic<Task*> waits_in{nullptr};
    std::atomic<bool> called_back{false};  // a home that helps again: Team::unfinished counts it
    Spared spared;

    // The monitor's: the deque as it saw it last.
    std::int64_t monitor_saw_taken = 0;
    std::size_t monitor_saw_size = 0;

    // Gives the descriptors in `blank` back to the cache.
    GOSSAMER_COLD void drop_blanks();

    // Gives back all memory for tasks that the thread keeps.
    void give_back();

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

struct TeamTasks {
    // Copies of task reductions that all threads of the region share: [0] of the
    // parallel region, [1] of a worksharing construct.
    alignas(no_share) std::atomic<ReductionCopies*> shared[2] = {nullptr, nullptr};
    std::atomic<SharedQueue*> queue{nullptr};  // lives as long as the team's descriptor

    TaskWord word;  // which threads can execute tasks

    // See second_look.hpp.
    std::atomic<bool> look_requested{false};
    Team* next_requested = nullptr;  // written by the thread that requests a look
    Team* next_looked_at = nullptr;  // written by the thread that looks

    // Before each region: a cancelled one may have left copies and counts behind.
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
